"""A made table, whose classes follow from its columns: numbers and categories with gaps."""

import random

from model.inputs.table_files import Table


def made_table(rows: int = 300, seed: int = 0) -> Table:
    """Sizes, cities and tempos of `rows` rows on ten days. Whether one is bought follows from size
    and city, but for some noise; the tempo says nothing.
    """
    draws, cells = random.Random(seed), []
    for n in range(rows):
        city, size = draws.choice(("Oslo", "Paris", "Rome, IT")), draws.gauss(0, 1)
        bought = size + 2 * (city == "Oslo") + draws.gauss(0, 0.4) > 0.6
        cells.append(
            {
                "day": f"day {n % 10}",
                "size": "" if draws.random() < 0.1 else f"{size:.2f}",
                "tempo": f"{draws.random():.2f}",
                "city": "" if draws.random() < 0.05 else city,
                "hour": str(draws.randrange(8, 12)),
                "bought": "yes" if bought else "no",
            }
        )
    return Table({name: [row[name] for row in cells] for name in cells[0]})
