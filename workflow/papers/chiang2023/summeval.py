"""What the printed correlations on SummEval say of the paper's claims, and of one another."""

import pandas as pd

ATTRIBUTES = ("coherence", "consistency", "fluency", "relevance")
EXPLAINED = ("rate_explain", "analyze_rate")
#: Blocks of the printed tables; that of temperature 1 in Table 5 repeats Table 1.
TEMPERATURES = ("table5a", "table5b", "table1")
PROMPTS = ("table6a", "table6b")


def claims(printed: pd.DataFrame) -> dict[str, float]:
    """Return the least difference that each statement is about."""
    cell = printed.set_index("row")[list(ATTRIBUTES)]

    def gain(row: str, over: str, *names: str) -> float:
        return float((cell.loc[row] - cell.loc[over])[list(names or ATTRIBUTES)].min())

    def over_geval(blocks: tuple[str, ...]) -> float:
        return min(
            gain(f"{block}.{output}", f"{block}.auto_cot")
            for block in blocks
            for output in EXPLAINED
        )

    plain, base, free = "table1.score_only", "table1.auto_cot", "table1.free_text"
    explained = [f"table1.{output}" for output in EXPLAINED]
    return {
        "summeval.cot.gain": gain(base, plain, "coherence", "consistency", "relevance"),
        "summeval.cot.fluency": gain(base, plain, "fluency"),
        "summeval.free_text.gain": gain(free, plain, "coherence", "consistency", "fluency"),
        "summeval.free_text.relevance": gain(free, plain, "relevance"),
        "summeval.explained.gain": min(gain(row, plain) for row in explained),
        "summeval.gpt4.coherence": max(gain(row, "table1.gpt4", "coherence") for row in explained),
        "temperature.gain": over_geval(TEMPERATURES),
        "temperature.geval_drop": gain(base, "table5a.auto_cot"),
        "prompts.gain": over_geval(PROMPTS),
        "prompts.geval_drop": min(gain(base, f"{block}.auto_cot") for block in PROMPTS),
    }


def printed_again(printed: pd.DataFrame) -> dict[str, float]:
    """Return Table 1's values for the part of Table 5 that is said to repeat them."""
    cell = printed.set_index("row")
    return {
        f"table5c.{output}.{name}": float(cell.loc[f"table1.{output}", name])
        for output in ("auto_cot", *EXPLAINED)
        for name in ATTRIBUTES
    }
