"""Draw the pictures of the documentation: of models, of coefficients, and of the workflow.

    python docs/pictures [page ...]

Real labels are those of the anesthesia data and of the textual entailment of Snow et al. (2008);
what a model is to be compared with the truth on is simulated here.
"""

import sys

import coefficients
import confusion
import stages
import weights

#: Functions without arguments, by the page whose picture they draw.
PICTURES = {
    name.removeprefix("draw_"): function
    for module in (coefficients, weights, confusion, stages)
    for name, function in vars(module).items()
    if name.startswith("draw_")
}


if __name__ == "__main__":
    for page in sys.argv[1:] or PICTURES:
        PICTURES[page]()
