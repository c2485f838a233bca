=== visits: patients and visits by ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
WITH measured AS (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean stay by ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c1" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0", CAST(CASE WHEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2013265920.0' AS DOUBLE) THEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('2013265920.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("stay" AS DOUBLE) AS "n0", TRY_CAST("ward" AS TEXT) AS "c1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a total and a count by position
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c1" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0", CAST(CASE WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1310720000.0' AS DOUBLE) THEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('1310720000.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("cost" AS DOUBLE) AS "n0", TRY_CAST("ward" AS TEXT) AS "c1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean cost as the analyst divides it
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c1" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0", CAST(CASE WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1310720000.0' AS DOUBLE) THEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('1310720000.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("cost" AS DOUBLE) AS "n0", TRY_CAST("ward" AS TEXT) AS "c1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: share of long stays in percent
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c1" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0",
CASE WHEN NOT (CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) > (CAST('7.0' AS DOUBLE)) THEN CAST('1.0' AS DOUBLE) ELSE NULL END) IS NULL THEN CAST('0' AS BIGINT) END AS "v0"
FROM (SELECT TRY_CAST("stay" AS DOUBLE) AS "n0", TRY_CAST("ward" AS TEXT) AS "c1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END), 0) AS "v0_part0"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: wards with many visits, the longest stays first
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c1" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0", CAST(CASE WHEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2013265920.0' AS DOUBLE) THEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n0") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('2013265920.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("stay" AS DOUBLE) AS "n0", TRY_CAST("ward" AS TEXT) AS "c1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: the second most common ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: quantile by ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "k0", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c1" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0", CAST(CASE WHEN FLOOR(("n0") * CAST('8192.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('81920000.0' AS DOUBLE) THEN FLOOR(("n0") * CAST('8192.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n0") * CAST('8192.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n0") * CAST('8192.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('81920000.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("cost" AS DOUBLE) AS "n0", TRY_CAST("ward" AS TEXT) AS "c1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CAST('10485760' AS BIGINT) // (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM("weight"), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== visits: ages in bins by edges
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN NULLIF("n0", CAST('NaN' AS DOUBLE)) >= CAST('0.0' AS DOUBLE) AND NULLIF("n0", CAST('NaN' AS DOUBLE)) < CAST('18.0' AS DOUBLE) THEN CAST('0' AS BIGINT) WHEN NULLIF("n0", CAST('NaN' AS DOUBLE)) >= CAST('18.0' AS DOUBLE) AND NULLIF("n0", CAST('NaN' AS DOUBLE)) < CAST('40.0' AS DOUBLE) THEN CAST('1' AS BIGINT) WHEN NULLIF("n0", CAST('NaN' AS DOUBLE)) >= CAST('40.0' AS DOUBLE) AND NULLIF("n0", CAST('NaN' AS DOUBLE)) < CAST('65.0' AS DOUBLE) THEN CAST('2' AS BIGINT) WHEN NULLIF("n0", CAST('NaN' AS DOUBLE)) >= CAST('65.0' AS DOUBLE) AND NULLIF("n0", CAST('NaN' AS DOUBLE)) <= CAST('120.0' AS DOUBLE) THEN CAST('3' AS BIGINT) END AS "k0"
FROM (SELECT TRY_CAST("age" AS DOUBLE) AS "n0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: ages in tens by FLOOR
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", NULLIF((FLOOR(("n0") / (NULLIF(CAST('10.0' AS DOUBLE), CAST('0.0' AS DOUBLE))))) * (CAST('10.0' AS DOUBLE)), CAST('NaN' AS DOUBLE)) AS "k0", CAST(CASE WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2013265920.0' AS DOUBLE) THEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('2013265920.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("age" AS DOUBLE) AS "n0", TRY_CAST("stay" AS DOUBLE) AS "n1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES (CAST('0.0' AS DOUBLE), CAST('0' AS BIGINT)), (CAST('10.0' AS DOUBLE), CAST('1' AS BIGINT)), (CAST('20.0' AS DOUBLE), CAST('2' AS BIGINT)), (CAST('30.0' AS DOUBLE), CAST('3' AS BIGINT)), (CAST('40.0' AS DOUBLE), CAST('4' AS BIGINT)), (CAST('50.0' AS DOUBLE), CAST('5' AS BIGINT)), (CAST('60.0' AS DOUBLE), CAST('6' AS BIGINT)), (CAST('70.0' AS DOUBLE), CAST('7' AS BIGINT)), (CAST('80.0' AS DOUBLE), CAST('8' AS BIGINT)), (CAST('90.0' AS DOUBLE), CAST('9' AS BIGINT)), (CAST('100.0' AS DOUBLE), CAST('10' AS BIGINT)), (CAST('110.0' AS DOUBLE), CAST('11' AS BIGINT)), (CAST('120.0' AS DOUBLE), CAST('12' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: ages in equal parts by WIDTH_BUCKET
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('0.0' AS DOUBLE)) THEN CAST('0.0' AS DOUBLE) ELSE
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('100.0' AS DOUBLE)) THEN CAST('6.0' AS DOUBLE) ELSE NULLIF((FLOOR((("n0") - (CAST('0.0' AS DOUBLE))) / (NULLIF(CAST('20.0' AS DOUBLE), CAST('0.0' AS DOUBLE))))) + (CAST('1.0' AS DOUBLE)), CAST('NaN' AS DOUBLE)) END END >= CAST('0.0' AS DOUBLE) AND
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('0.0' AS DOUBLE)) THEN CAST('0.0' AS DOUBLE) ELSE
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('100.0' AS DOUBLE)) THEN CAST('6.0' AS DOUBLE) ELSE NULLIF((FLOOR((("n0") - (CAST('0.0' AS DOUBLE))) / (NULLIF(CAST('20.0' AS DOUBLE), CAST('0.0' AS DOUBLE))))) + (CAST('1.0' AS DOUBLE)), CAST('NaN' AS DOUBLE)) END END <= CAST('6.0' AS DOUBLE) AND (CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('0.0' AS DOUBLE)) THEN CAST('0.0' AS DOUBLE) ELSE
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('100.0' AS DOUBLE)) THEN CAST('6.0' AS DOUBLE) ELSE NULLIF((FLOOR((("n0") - (CAST('0.0' AS DOUBLE))) / (NULLIF(CAST('20.0' AS DOUBLE), CAST('0.0' AS DOUBLE))))) + (CAST('1.0' AS DOUBLE)), CAST('NaN' AS DOUBLE)) END END) - CAST('0.0' AS DOUBLE) <= CAST('6.0' AS DOUBLE) AND FLOOR(CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('0.0' AS DOUBLE)) THEN CAST('0.0' AS DOUBLE) ELSE
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('100.0' AS DOUBLE)) THEN CAST('6.0' AS DOUBLE) ELSE NULLIF((FLOOR((("n0") - (CAST('0.0' AS DOUBLE))) / (NULLIF(CAST('20.0' AS DOUBLE), CAST('0.0' AS DOUBLE))))) + (CAST('1.0' AS DOUBLE)), CAST('NaN' AS DOUBLE)) END END) =
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('0.0' AS DOUBLE)) THEN CAST('0.0' AS DOUBLE) ELSE
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('100.0' AS DOUBLE)) THEN CAST('6.0' AS DOUBLE) ELSE NULLIF((FLOOR((("n0") - (CAST('0.0' AS DOUBLE))) / (NULLIF(CAST('20.0' AS DOUBLE), CAST('0.0' AS DOUBLE))))) + (CAST('1.0' AS DOUBLE)), CAST('NaN' AS DOUBLE)) END END THEN TRY_CAST((CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('0.0' AS DOUBLE)) THEN CAST('0.0' AS DOUBLE) ELSE
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('100.0' AS DOUBLE)) THEN CAST('6.0' AS DOUBLE) ELSE NULLIF((FLOOR((("n0") - (CAST('0.0' AS DOUBLE))) / (NULLIF(CAST('20.0' AS DOUBLE), CAST('0.0' AS DOUBLE))))) + (CAST('1.0' AS DOUBLE)), CAST('NaN' AS DOUBLE)) END END) - CAST('0.0' AS DOUBLE) AS BIGINT) END AS "k0"
FROM (SELECT TRY_CAST("age" AS DOUBLE) AS "n0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: age bands by CASE
WITH measured AS (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST(CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('18.0' AS DOUBLE)) THEN 'child' ELSE
CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) < (CAST('65.0' AS DOUBLE)) THEN 'adult' ELSE 'senior' END END AS ENUM('child', 'adult', 'senior'))) AS "k0"
FROM (SELECT TRY_CAST("age" AS DOUBLE) AS "n0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits by month of one year
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE) AND ("c0") <= CAST('2932896.0' AS DOUBLE) THEN CAST(DATE_DIFF('DAY', CAST('1970-01-01' AS DATE), CAST(DATE_TRUNC('month', (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DATE)) AS DOUBLE) END AS "k0"
FROM (SELECT CAST(DATE_DIFF('DAY', CAST('1970-01-01' AS DATE), TRY_CAST("admitted" AS DATE)) AS DOUBLE) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE ("c0") >= (CAST('20089.0' AS DOUBLE)) AND NOT ("unit") IS NULL) AS keyed
JOIN (VALUES (CAST('20089.0' AS DOUBLE), CAST('0' AS BIGINT)), (CAST('20120.0' AS DOUBLE), CAST('1' AS BIGINT)), (CAST('20148.0' AS DOUBLE), CAST('2' AS BIGINT)), (CAST('20179.0' AS DOUBLE), CAST('3' AS BIGINT)), (CAST('20209.0' AS DOUBLE), CAST('4' AS BIGINT)), (CAST('20240.0' AS DOUBLE), CAST('5' AS BIGINT)), (CAST('20270.0' AS DOUBLE), CAST('6' AS BIGINT)), (CAST('20301.0' AS DOUBLE), CAST('7' AS BIGINT)), (CAST('20332.0' AS DOUBLE), CAST('8' AS BIGINT)), (CAST('20362.0' AS DOUBLE), CAST('9' AS BIGINT)), (CAST('20393.0' AS DOUBLE), CAST('10' AS BIGINT)), (CAST('20423.0' AS DOUBLE), CAST('11' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits by day of the week
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE) AND ("c0") <= CAST('2932896.0' AS DOUBLE) THEN CAST(EXTRACT(DAYOFWEEK
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE) END >= CAST('0.0' AS DOUBLE) AND
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE) AND ("c0") <= CAST('2932896.0' AS DOUBLE) THEN CAST(EXTRACT(DAYOFWEEK
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE) END <= CAST('6.0' AS DOUBLE) AND (CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE) AND ("c0") <= CAST('2932896.0' AS DOUBLE) THEN CAST(EXTRACT(DAYOFWEEK
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE) END) - CAST('0.0' AS DOUBLE) <= CAST('6.0' AS DOUBLE) AND FLOOR(CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE) AND ("c0") <= CAST('2932896.0' AS DOUBLE) THEN CAST(EXTRACT(DAYOFWEEK
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE) END) =
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE) AND ("c0") <= CAST('2932896.0' AS DOUBLE) THEN CAST(EXTRACT(DAYOFWEEK
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE) END THEN TRY_CAST((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE) AND ("c0") <= CAST('2932896.0' AS DOUBLE) THEN CAST(EXTRACT(DAYOFWEEK
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE) END) - CAST('0.0' AS DOUBLE) AS BIGINT) END AS "k0"
FROM (SELECT CAST(DATE_DIFF('DAY', CAST('1970-01-01' AS DATE), TRY_CAST("admitted" AS DATE)) AS DOUBLE) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean of some rows by FILTER
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c2" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0", CAST(CASE WHEN FLOOR((CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('65.0' AS DOUBLE)) THEN NULLIF("n1", CAST('NaN' AS DOUBLE)) ELSE NULL END) * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2013265920.0' AS DOUBLE) THEN FLOOR((CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('65.0' AS DOUBLE)) THEN NULLIF("n1", CAST('NaN' AS DOUBLE)) ELSE NULL END) * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR((CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('65.0' AS DOUBLE)) THEN NULLIF("n1", CAST('NaN' AS DOUBLE)) ELSE NULL END) * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR((CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) >= (CAST('65.0' AS DOUBLE)) THEN NULLIF("n1", CAST('NaN' AS DOUBLE)) ELSE NULL END) * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('2013265920.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("age" AS DOUBLE) AS "n0", TRY_CAST("stay" AS DOUBLE) AS "n1", TRY_CAST("ward" AS TEXT) AS "c2", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: private diagnoses, found privately
WITH measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT TRY_CAST("diagnosis" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL), held AS (SELECT DISTINCT "unit", "k0"
FROM measured), kept AS (SELECT "k0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CAST("unit" AS TEXT) || '' || CAST("k0" AS TEXT)), "k0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('3' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";

=== visits: private diagnoses with a mean
WITH measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", SUBSTRING("c0", 1, 3) AS "k0"
FROM (SELECT TRY_CAST("diagnosis" AS TEXT) AS "c0", TRY_CAST("stay" AS DOUBLE) AS "n1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL), held AS (SELECT DISTINCT "unit", "k0"
FROM measured), kept AS (SELECT "k0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CAST("unit" AS TEXT) || '' || CAST("k0" AS TEXT)), "k0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('3' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";
WITH measured AS MATERIALIZED (SELECT "unit", "k0" AS "cell", "v0"
FROM (SELECT "unit", "k0", "v0"
FROM (SELECT "unit", CAST(ENUM_CODE(TRY_CAST(SUBSTRING("c0", 1, 3) AS ENUM('0'))) AS BIGINT) AS "k0", CAST(CASE WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2013265920.0' AS DOUBLE) THEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('2013265920.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("diagnosis" AS TEXT) AS "c0", TRY_CAST("stay" AS DOUBLE) AS "n1", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: aliases and quoted names
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits with a public lookup
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('north', 'south'))) AS "k0"
FROM (SELECT "unit", "cr0" AS "c0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS inner_rows INNER
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT TRY_CAST("building" AS TEXT) AS "cr0", TRY_CAST("ward" AS TEXT) AS "cr1"
FROM public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c0" = "cr1") AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(36893488147419103232 AS INT128) // (CASE WHEN "held" > CAST('32' AS BIGINT) THEN "held" ELSE CAST('32' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits with the patients' own table
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('female', 'male'))) AS "k0", CAST(CASE WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2013265920.0' AS DOUBLE) THEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n1") * CAST('33554432.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('2013265920.0' AS DOUBLE) END AS INT) AS "v0"
FROM (WITH first_0 AS (SELECT "unit", "n0"
FROM (SELECT TRY_CAST("stay" AS DOUBLE) AS "n0", "patient_id" AS "unit"
FROM source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT TRY_CAST("sex" AS TEXT) AS "cr0", "patient_id" AS "unit"
FROM private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit",
CASE WHEN (1000000 // "other_held") IS NULL OR 1000 IS NULL THEN NULL ELSE GREATEST(1000000 // "other_held", 1000) END AS "kept",
CASE WHEN (1000000 // "held") IS NULL OR 1000 IS NULL THEN NULL ELSE GREATEST(1000000 // "held", 1000) END AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > 1000000 // "other_held")
SELECT "unit", "n0" AS "n1", "cr0" AS "c0"
FROM (SELECT "unit", "n0"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "n0"
FROM (SELECT "unit", "n0", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CAST("unit" AS TEXT) || '' || COALESCE(CAST(CASE WHEN (NULLIF("n0", CAST('NaN' AS DOUBLE))) = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE NULLIF("n0", CAST('NaN' AS DOUBLE)) END AS TEXT), '')), "n0") AS "place"
FROM first_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "kept") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", "cr0"
FROM (SELECT "unit", "cr0"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "cr0"
FROM (SELECT "unit", "cr0", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CAST("unit" AS TEXT) || '' || COALESCE(CAST("cr0" AS TEXT), '')), "cr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(36893488147419103232 AS INT128) // (CASE WHEN "held" > CAST('32' AS BIGINT) THEN "held" ELSE CAST('32' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: patients of another private table alone
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('public', 'private', 'none'))) AS "k0"
FROM (SELECT TRY_CAST("insurance" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM private_0) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(1152921504606846976 AS INT128) // (CASE WHEN "held" > CAST('1' AS BIGINT) THEN "held" ELSE CAST('1' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: three tables
WITH measured AS (SELECT "unit", CAST((CAST("k0" AS BIGINT)) * CAST('2' AS BIGINT) + CAST("k1" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0", "k1"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('public', 'private', 'none'))) AS "k0", ENUM_CODE(TRY_CAST("c1" AS ENUM('north', 'south'))) AS "k1"
FROM (SELECT "unit", "c0" AS "c0", "cr0" AS "c1"
FROM (WITH first_0 AS (SELECT "unit", "c0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT TRY_CAST("insurance" AS TEXT) AS "cr0", "patient_id" AS "unit"
FROM private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit",
CASE WHEN (1000000 // "other_held") IS NULL OR 1000 IS NULL THEN NULL ELSE GREATEST(1000000 // "other_held", 1000) END AS "kept",
CASE WHEN (1000000 // "held") IS NULL OR 1000 IS NULL THEN NULL ELSE GREATEST(1000000 // "held", 1000) END AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > 1000000 // "other_held")
SELECT "unit", "c0" AS "c1", "cr0" AS "c0"
FROM (SELECT "unit", "c0"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "c0"
FROM (SELECT "unit", "c0", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CAST("unit" AS TEXT) || '' || COALESCE(CAST("c0" AS TEXT), '')), "c0") AS "place"
FROM first_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "kept") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", "cr0"
FROM (SELECT "unit", "cr0"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "cr0"
FROM (SELECT "unit", "cr0", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CAST("unit" AS TEXT) || '' || COALESCE(CAST("cr0" AS TEXT), '')), "cr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS inner_rows INNER
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT TRY_CAST("building" AS TEXT) AS "cr0", TRY_CAST("ward" AS TEXT) AS "cr1"
FROM public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c1" = "cr1") AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL AND NOT ("k1") IS NULL) AS keyed), pairs AS MATERIALIZED (SELECT DISTINCT "unit", "cell"
FROM measured), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(3458764513820540928 AS INT128) // (CASE WHEN "held" > CAST('3' AS BIGINT) THEN "held" ELSE CAST('3' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", COUNT("cell") AS "held"
FROM pairs
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "weight"
FROM pairs
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: how many visits patients have
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN NULLIF("n0", CAST('NaN' AS DOUBLE)) >= CAST('1.0' AS DOUBLE) AND NULLIF("n0", CAST('NaN' AS DOUBLE)) < CAST('2.0' AS DOUBLE) THEN CAST('0' AS BIGINT) WHEN NULLIF("n0", CAST('NaN' AS DOUBLE)) >= CAST('2.0' AS DOUBLE) AND NULLIF("n0", CAST('NaN' AS DOUBLE)) < CAST('5.0' AS DOUBLE) THEN CAST('1' AS BIGINT) WHEN NULLIF("n0", CAST('NaN' AS DOUBLE)) >= CAST('5.0' AS DOUBLE) AND NULLIF("n0", CAST('NaN' AS DOUBLE)) <= CAST('10.0' AS DOUBLE) THEN CAST('2' AS BIGINT) END AS "k0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(*) AS DOUBLE) < CAST('1.0' AS DOUBLE) THEN CAST('1.0' AS DOUBLE) WHEN CAST(COUNT(*) AS DOUBLE) > CAST('10.0' AS DOUBLE) THEN CAST('10.0' AS DOUBLE) ELSE CAST(COUNT(*) AS DOUBLE) END AS "n0"
FROM (SELECT "unit"
FROM (SELECT "patient_id" AS "unit"
FROM source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(1152921504606846976 AS INT128) // (CASE WHEN "held" > CAST('1' AS BIGINT) THEN "held" ELSE CAST('1' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a named query, row by row
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c2" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0", CAST(CASE WHEN FLOOR((("n1") * (CAST('24.0' AS DOUBLE))) * CAST('1048576.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1509949440.0' AS DOUBLE) THEN FLOOR((("n1") * (CAST('24.0' AS DOUBLE))) * CAST('1048576.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR((("n1") * (CAST('24.0' AS DOUBLE))) * CAST('1048576.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR((("n1") * (CAST('24.0' AS DOUBLE))) * CAST('1048576.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('1509949440.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT CAST(DATE_DIFF('DAY', CAST('1970-01-01' AS DATE), TRY_CAST("admitted" AS DATE)) AS DOUBLE) AS "c0", TRY_CAST("stay" AS DOUBLE) AS "n1", TRY_CAST("ward" AS TEXT) AS "c2", "patient_id" AS "unit"
FROM source) AS read
WHERE ("c0") >= (CAST('20270.0' AS DOUBLE)) AND NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a named query of each patient, joined
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('public', 'private', 'none'))) AS "k0", CAST(CASE WHEN FLOOR(("n1") * CAST('16384.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1638400000.0' AS DOUBLE) THEN FLOOR(("n1") * CAST('16384.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n1") * CAST('16384.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n1") * CAST('16384.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('1638400000.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT "unit", "n0" AS "n1", "cr0" AS "c0"
FROM (SELECT "unit",
CASE WHEN CAST(SUM("v0") AS DOUBLE) * CAST('7.62939453125e-06' AS DOUBLE) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN CAST(SUM("v0") AS DOUBLE) * CAST('7.62939453125e-06' AS DOUBLE) > CAST('100000.0' AS DOUBLE) THEN CAST('100000.0' AS DOUBLE) ELSE CAST(SUM("v0") AS DOUBLE) * CAST('7.62939453125e-06' AS DOUBLE) END AS "n0"
FROM (SELECT "unit", CAST(CASE WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1310720000.0' AS DOUBLE) THEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN FLOOR(("n0") * CAST('131072.0' AS DOUBLE) + CAST('0.5' AS DOUBLE)) <= CAST('Infinity' AS DOUBLE) THEN CAST('1310720000.0' AS DOUBLE) END AS INT) AS "v0"
FROM (SELECT TRY_CAST("cost" AS DOUBLE) AS "n0", "patient_id" AS "unit"
FROM source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", "cr0"
FROM (SELECT TRY_CAST("insurance" AS TEXT) AS "cr0", "patient_id" AS "unit"
FROM private_0) AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(1152921504606846976 AS INT128) // (CASE WHEN "held" > CAST('1' AS BIGINT) THEN "held" ELSE CAST('1' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight", COALESCE(SUM(CASE WHEN NOT ("v0") IS NULL THEN "weight" END), 0) AS "v0_present", COALESCE(SUM(CAST("weight" AS BIGINT) * ("v0")), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: capitals and spaces do not matter
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a group that is not selected is shown in front
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a mean over released groups
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", ENUM_CODE(TRY_CAST("c0" AS ENUM('Cardiology', 'Oncology', 'ICU'))) AS "k0"
FROM (SELECT TRY_CAST("ward" AS TEXT) AS "c0", "patient_id" AS "unit"
FROM source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(CAST(41505174165846491136 AS INT128) // (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS INT128) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM("weight"), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
