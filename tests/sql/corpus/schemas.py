"""Four tables that the corpus asks about: a hospital, a census, a web log and film ratings."""

from discreet.plan.schema import (
    LookupTable,
    PartnerTable,
    Schema,
    boolean,
    category,
    date,
    integer,
    number,
    text,
)
from discreet.privacy.sensitivity import Neighbors

VISITS = Schema(
    name="visits",
    columns={
        "ward": category(["Cardiology", "Oncology", "ICU"]),
        "stay": number(0, 60),
        "cost": number(0, 10_000),
        "age": integer(0, 120),
        "smoker": boolean(),
        "diagnosis": text(),
        "admitted": date("2024-01-01", "2025-12-31"),
        "discharged": date("2024-01-01", "2026-02-28"),
        "lactate": number(),
    },
    unit="patient_id",
    max_groups=3,
    max_rows=10,
    private={
        "patients": PartnerTable(
            columns={
                "sex": category(["female", "male"]),
                "born": integer(1900, 2025),
                "insurance": category(["public", "private", "none"]),
            },
            unit="patient_id",
            max_rows=1,
        ),
        "tests": PartnerTable(
            columns={"kind": category(["blood", "scan"]), "result": number(-5, 5)},
            unit="patient_id",
            max_rows=4,
        ),
    },
    public={
        "wards": LookupTable(
            columns={
                "ward": category(["Cardiology", "Oncology", "ICU"]),
                "building": category(["north", "south"]),
                "beds": integer(5, 40),
            },
            most={"ward": 1},
        )
    },
)

PERSONS = Schema(
    name="persons",
    columns={
        "age": integer(0, 99),
        "sex": category(["female", "male"]),
        "state": category(["North", "South", "East", "West"]),
        "schooling": category([1, 2, 3, 4, 5]),
        "income": number(0, 200_000),
        "hours": integer(0, 80, default=0),
        "married": boolean(),
        "occupation": text(),
        "wealth": number(-100_000, 1_000_000),
    },
    neighbors=Neighbors.REPLACE,
    public={
        "states": LookupTable(
            columns={
                "state": category(["North", "South", "East", "West"]),
                "region": category(["coast", "inland"]),
                "rent": number(200, 3_000),
            },
            most={"state": 1},
        ),
        "neighbors": LookupTable(
            columns={
                "state": category(["North", "South", "East", "West"]),
                "next": category(["North", "South", "East", "West"]),
            },
        ),
    },
)

LOG = Schema(
    name="requests",
    columns={
        "url": text(),
        "referrer": text(),
        "method": category(["GET", "POST", "PUT"]),
        "status": category([200, 301, 404, 500]),
        "bytes": number(0, 1_000_000),
        "seconds": number(0, 30),
        "day": date("2026-01-01", "2026-03-31"),
        "hour": integer(0, 23),
        "mobile": boolean(),
        "country": category(["DE", "FR", "US"]),
    },
    unit="user_id",
    max_groups=5,
    max_rows=100,
    private={
        "users": PartnerTable(
            columns={
                "plan": category(["free", "paid"]),
                "joined": date("2020-01-01", "2026-03-31"),
            },
            unit="id",
            max_rows=1,
        )
    },
    public={
        "countries": LookupTable(
            columns={
                "code": category(["DE", "FR", "US"]),
                "continent": category(["Europe", "America"]),
            },
            most={"code": 1},
        )
    },
)

RATINGS = Schema(
    name="ratings",
    columns={
        "film_id": integer(1, 200),
        "stars": number("0.5", 5),
        "rated": date("2020-01-01", "2025-12-31"),
        "tag": text(),
        "rewatched": boolean(),
    },
    unit="user_id",
    max_groups=4,
    max_rows=50,
    private={
        "users": PartnerTable(
            columns={"age": integer(0, 120), "country": category(["DE", "FR", "US"])},
            unit="user_id",
            max_rows=1,
        ),
        "watchlist": PartnerTable(
            columns={"film_id": integer(1, 200)}, unit="user_id", max_rows=20
        ),
    },
    public={
        "films": LookupTable(
            columns={
                "film_id": integer(1, 200),
                "title": text(),
                "genre": category(["drama", "comedy", "horror"]),
                "year": integer(1950, 2025),
                "minutes": number(60, 240),
            },
            most={"film_id": 1},
        ),
        "screenings": LookupTable(
            columns={"film_id": integer(1, 200), "city": category(["Berlin", "Paris"])},
        ),
    },
)

SCHEMAS = {"visits": VISITS, "persons": PERSONS, "log": LOG, "ratings": RATINGS}
