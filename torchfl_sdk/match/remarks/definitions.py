"""Sentences that define an op without a word of its name; each pattern must be a whole sentence."""

from __future__ import annotations

import re

_GROUPS = {
    "PLACES": r"(?: (?:along|over|of|in|across|for|on|per) (?:each|every|the|all|one|an?|its)?.*)?",
    "EACH": r"(?: (?:of|in) (?:each|every|two|both|the|all|a|one|elements?).*| element.?wise)?",
    "PAIR": r"(?: one| value)? of (?:each two|the two|two|both|each pair|every pair).*",
    "MOST": "(?:largest|greatest|biggest|highest|maximum)",
    "LEAST": "(?:smallest|least|lowest|minimum)",
    "WHERE": "(?:position|index|place|location|where)s?",
    "WHOLE": r"(?:the )?(?:next |nearest )?(?:integer|whole number)",
    "TRUTHS": r"(?:two |both )?(?:truth values|booleans|flags|masks).*",
    "SET": "(?:true|set|not 0|non-?zero)",
    "KIND": "(?:type|format|kind|dtype)s?",
}
_TABLE: tuple[tuple[str, str], ...] = (
    ("maximum", r"(?:larger|greater|bigger|higher|MOST)PAIR"),
    ("minimum", r"(?:smaller|lesser|lower|LEAST)PAIR"),
    ("floor", r"(?:rounds? )?(?:to|towards?) WHOLE below"),
    ("floor", r"rounds? down(?: to WHOLE)?|rounds? towards? (?:minus|negative) infinity"),
    ("floor", r"MOST integer not (?:above|greater).*"),
    ("ceil", r"(?:rounds? )?(?:to|towards?) WHOLE above"),
    ("ceil", r"rounds? up(?: to WHOLE)?|rounds? towards? (?:plus|positive) infinity"),
    ("ceil", r"LEAST integer not (?:below|less).*"),
    ("trunc", r"(?:drops?|cuts?|discards?|removes?) (?:off )?(?:the |its )?fraction(?:al part)?s?"),
    ("trunc", r"rounds? towards? zero"),
    ("round", r"(?:rounds? )?to (?:the )?nearest (?:integer|whole number|even).*"),
    ("abs", r"(?:the )?absolute values?EACH|magnitude of (?:each|every) .*"),
    ("neg", r"(?:changes?|flips?|inverts?) (?:the |its )?signs?EACH|(?:the )?negati(?:ve|on) of .*"),
    ("bitwise_not", r"(?:flips?|inverts?|negates?) (?:all |each |every |the )?bits?.*|ones'? complement.*"),
    ("bitwise_not", r"bit-?wise (?:complement|inverse|not)EACH"),
    ("bitwise_and.Tensor", r"bit-?wise and.*"),
    ("bitwise_or.Tensor", r"bit-?wise or.*"),
    ("bitwise_xor.Tensor", r"bit-?wise (?:xor|exclusive or).*"),
    ("logical_and", r"(?:&&|and|logical and|conjunction) of TRUTHS"),
    ("logical_or", r"(?:\|\||or|logical or|disjunction) of TRUTHS"),
    ("logical_not", r"(?:!|not|logical not|negation) of TRUTHS"),
    ("rsqrt", r"(?:one over|reciprocal(?: of)?|inverse(?: of)?|1 ?/)(?: the)?(?: square)? rootsEACH"),
    ("rsqrt", r"(?:one over|reciprocal(?: of)?|inverse(?: of)?|1 ?/)(?: the)?(?: square)? rootEACH"),
    ("reciprocal", r"(?:the )?reciprocals?EACH|one over (?:each|every|the).*|multiplicative inverseEACH"),
    ("sqrt", r"(?:the )?square rootsEACH|(?:the )?square rootEACH"),
    ("square", r"(?:the )?squares?EACH"),
    ("log", r"(?:the )?natural logarithms?EACH|logarithm(?: to| of)?(?: the)? base e"),
    ("log2", r"(?:logarithm,? )?(?:to |of )?(?:the )?base (?:2|two)(?: logarithm)?|(?:binary|dual) logarithm"),
    ("log10", r"(?:logarithm,? )?(?:to |of )?(?:the )?base (?:10|ten)(?: logarithm)?|(?:common|decimal) logarithm"),
    ("exp", r"(?:the )?(?:natural )?exponential(?: function)?EACH|e to the power of (?:each|every).*"),
    ("tanh", r"(?:the )?hyperbolic tangents?EACH"),
    ("sinh", r"(?:the )?hyperbolic sines?EACH"),
    ("cosh", r"(?:the )?hyperbolic cosines?EACH"),
    ("erf", r"(?:the )?(?:gauss(?:ian|'s)? )?error functionEACH"),
    ("sigmoid", r"(?:the )?(?:logistic|sigmoid)(?: function| curve)?EACH"),
    ("pow.Tensor_Tensor", r"\w+ (?:raised )?to the (?:power of \w+|\w+(?:th|'th) power)"),
    ("div.Tensor", r"(?:true|element.?wise|floating.point) (?:division|quotient)|quotientEACH"),
    ("argmax", r"WHERE (?:of|is) (?:the |its )?MOST(?: (?:value|element|one|entry))?PLACES"),
    ("argmin", r"WHERE (?:of|is) (?:the |its )?LEAST(?: (?:value|element|one|entry))?PLACES"),
    ("max", r"(?:the )?MOST(?: value| element| of all elements)?PLACES"),
    ("min", r"(?:the )?LEAST(?: value| element| of all elements)?PLACES"),
    ("cumsum", r"(?:running|cumulative|prefix) (?:sums?|totals?)PLACES|inclusive (?:scan|prefix sums?)PLACES"),
    ("cumprod", r"(?:running|cumulative|prefix) products?PLACES"),
    ("sum", r"(?:sum|total) of all(?: the)? (?:elements|values|entries)|adds up all .*"),
    ("mean", r"(?:arithmetic )?(?:mean|average) of all(?: the)? (?:elements|values|entries)"),
    ("linalg_vector_norm", r"sum of (?:\|\w+\|(?: \w+)?|(?:the )?(?:absolute values|magnitudes).*)"),
    ("linalg_vector_norm", r"euclidean norm.*|square root of the sum of (?:the )?squares.*"),
    ("permute", r"(?:matrix )?transpos(?:e|ition)(?: of(?: a| the)? matrix)?|(?:the |a )?matrix transposed"),
    ("permute", r"transposes (?:a|the) (?:dense )?(?:2-?d )?matrix.*|(?:exchanges|swaps) rows and columns"),
    ("permute", r"(?:permutes|reorders|rearranges) (?:the |its |all )?(?:dims|dimensions|axes|sizes)"),
    ("flip", r"reverses? (?:the )?order(?: of .*)?"),
    ("_to_copy", r"converts (?:\w+ )?to (?:the )?(?:element )?KIND of \w+"),
    ("_to_copy", r"(?:the )?KIND of \w+ to (?:the )?KIND of \w+"),
    ("where.self", r"\w+ where \w+ (?:is )?SET(?: and|,)?(?: \w+)? (?:elsewhere|otherwise|else)(?: \w+)?"),
    ("embedding", r"(?:an )?embedding (?:table|lookup|layer).*"),
    ("addmm", r"general matrix[- ]matrix (?:product|multiplication|multiply)"),
    ("cat", r"(?:joins|concatenates|glues) (?:several |the |all )?(?:tensors|inputs|operands).*"),
    ("_softmax", r"soft(?:max| maximum)PLACES"),
    ("native_layer_norm", r"layer normali[sz]ation(?: over .*)?|layer norm"),
    ("_fused_rms_norm", r"root mean square (?:layer )?normali[sz]ation"),
    ("gelu", r"gaussian error linear unitEACH"),
    ("relu", r"rectified linear unitEACH|rectifier"),
    ("clamp", r"(?:saturates|limits|clips|clamps|bounds|restricts) \w+ (?:in)?to (?:\w+ )?(?:range|interval|bounds).*"),
)  # fmt: skip


def _spelled(pattern: str) -> str:
    return re.sub("|".join(_GROUPS), lambda m: _GROUPS[m[0]], pattern)


#: (op, pattern of a sentence)
DEFINITIONS: tuple[tuple[str, str], ...] = tuple((aten, _spelled(pattern)) for aten, pattern in _TABLE)
