"""Spans and relations marked in texts, boxes on images: agreement, and conversion to items."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "boundaries": ["Segmentation", "pk", "segmentation", "window_diff"],
        "boxes": ["Box", "BoxF1", "box_f1", "intersection_over_union"],
        "f1": ["SpanF1", "pairwise_f1"],
        "gamma": ["Gamma", "gamma_agreement"],
        "items": ["candidate_items", "spans_of_items", "token_items"],
        "marks": ["Marks", "Relation", "Span"],
        "report_table": ["report_boxes", "report_spans"],
        "unitizing": ["UnitizingAlpha", "unitizing_alpha"],
        "unitizing_1995": ["alpha_u"],
    },
)
