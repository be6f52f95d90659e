"""Draw the pictures of the documentation's pages on models and coefficients.

    python docs/pictures [page ...]

Real labels are those of the anesthesia data and of the textual entailment of Snow et al. (2008);
what a model is to be compared with the truth on is simulated here.
"""

import sys

import coefficients
import confusion
import weights

#: Functions without arguments, by the page whose picture they draw.
PICTURES = {
    name.removeprefix("draw_"): function
    for module in (coefficients, weights, confusion)
    for name, function in vars(module).items()
    if name.startswith("draw_")
}


if __name__ == "__main__":
    for page in sys.argv[1:] or PICTURES:
        PICTURES[page]()
