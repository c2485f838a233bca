=== visits: patients and visits by ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
WITH measured AS (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean stay by ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c1" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "stay" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a total and a count by position
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c1" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1310720000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1310720000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "cost" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean cost as the analyst divides it
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c1" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1310720000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1310720000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "cost" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: share of long stays in percent
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c1" AS "k0",
CASE WHEN NOT (CASE WHEN ("n0") > (CAST('7.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('0' AS BIGINT) END AS "v0"
FROM (SELECT "stay" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: wards with many visits, the longest stays first
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c1" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n0" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "stay" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: the second most common ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: quantile by ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "k0", "v0"
FROM (SELECT "unit", "c1" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('81920000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('81920000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "cost" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10485760' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== visits: ages in bins by edges
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('0.0' AS DOUBLE PRECISION) AND "n0" < CAST('18.0' AS DOUBLE PRECISION) THEN CAST('0' AS BIGINT) WHEN "n0" >= CAST('18.0' AS DOUBLE PRECISION) AND "n0" < CAST('40.0' AS DOUBLE PRECISION) THEN CAST('1' AS BIGINT) WHEN "n0" >= CAST('40.0' AS DOUBLE PRECISION) AND "n0" < CAST('65.0' AS DOUBLE PRECISION) THEN CAST('2' AS BIGINT) WHEN "n0" >= CAST('65.0' AS DOUBLE PRECISION) AND "n0" <= CAST('120.0' AS DOUBLE PRECISION) THEN CAST('3' AS BIGINT) END AS "k0"
FROM (SELECT "age" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: ages in tens by FLOOR
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", NULLIF((SELECT
CASE WHEN a >= '1.797693134862316e+307'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.797693134862316e+307'::double precision THEN '-Infinity'::double precision ELSE a * '10.0'::double precision END
FROM (SELECT CAST(FLOOR(NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '3e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '10.0'::double precision END, 'NaN'::double precision)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "stay" AS "n1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES (CAST('0.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('10.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('20.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('30.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('40.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('50.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('60.0' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('70.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT)), (CAST('80.0' AS DOUBLE PRECISION), CAST('8' AS BIGINT)), (CAST('90.0' AS DOUBLE PRECISION), CAST('9' AS BIGINT)), (CAST('100.0' AS DOUBLE PRECISION), CAST('10' AS BIGINT)), (CAST('110.0' AS DOUBLE PRECISION), CAST('11' AS BIGINT)), (CAST('120.0' AS DOUBLE PRECISION), CAST('12' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: ages in equal parts by WIDTH_BUCKET
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN
CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100.0' AS DOUBLE PRECISION)) THEN CAST('6.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.4e-323'::double precision THEN '0.0'::double precision ELSE a / '20.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END >= CAST('0.0' AS DOUBLE PRECISION) AND
CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100.0' AS DOUBLE PRECISION)) THEN CAST('6.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.4e-323'::double precision THEN '0.0'::double precision ELSE a / '20.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END <= CAST('6.0' AS DOUBLE PRECISION) AND ((CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100.0' AS DOUBLE PRECISION)) THEN CAST('6.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.4e-323'::double precision THEN '0.0'::double precision ELSE a / '20.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END) - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('6.0' AS DOUBLE PRECISION) AND FLOOR(CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100.0' AS DOUBLE PRECISION)) THEN CAST('6.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.4e-323'::double precision THEN '0.0'::double precision ELSE a / '20.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END) =
CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100.0' AS DOUBLE PRECISION)) THEN CAST('6.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.4e-323'::double precision THEN '0.0'::double precision ELSE a / '20.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END THEN CAST(((CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100.0' AS DOUBLE PRECISION)) THEN CAST('6.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.4e-323'::double precision THEN '0.0'::double precision ELSE a / '20.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END) - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "age" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: age bands by CASE
WITH measured AS (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit",
CASE WHEN ("n0") < (CAST('18.0' AS DOUBLE PRECISION)) THEN ('child' COLLATE "C") ELSE
CASE WHEN ("n0") < (CAST('65.0' AS DOUBLE PRECISION)) THEN ('adult' COLLATE "C") ELSE ('senior' COLLATE "C") END END AS "k0"
FROM (SELECT "age" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('child', CAST('0' AS BIGINT)), ('adult', CAST('1' AS BIGINT)), ('senior', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits by month of one year
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST((CAST(DATE_TRUNC(('month' COLLATE "C"), CAST((CAST('1970-01-01' AS DATE) + CAST("c0" AS INT)) AS TIMESTAMP)) AS DATE) - CAST('1970-01-01' AS DATE)) AS DOUBLE PRECISION) END AS "k0"
FROM (SELECT CAST("admitted" AS DOUBLE PRECISION) AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("c0") >= (CAST('20089.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL) AS keyed
JOIN (VALUES (CAST('20089.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('20120.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('20148.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('20179.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('20209.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('20240.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('20270.0' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('20301.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT)), (CAST('20332.0' AS DOUBLE PRECISION), CAST('8' AS BIGINT)), (CAST('20362.0' AS DOUBLE PRECISION), CAST('9' AS BIGINT)), (CAST('20393.0' AS DOUBLE PRECISION), CAST('10' AS BIGINT)), (CAST('20423.0' AS DOUBLE PRECISION), CAST('11' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits by day of the week
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(DOW
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END >= CAST('0.0' AS DOUBLE PRECISION) AND
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(DOW
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END <= CAST('6.0' AS DOUBLE PRECISION) AND ((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(DOW
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('6.0' AS DOUBLE PRECISION) AND FLOOR(CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(DOW
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) =
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(DOW
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END THEN CAST(((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(DOW
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT CAST("admitted" AS DOUBLE PRECISION) AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean of some rows by FILTER
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c2" AS "k0", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN a <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE a * '33554432.0'::double precision END
FROM (SELECT CAST(CASE WHEN ("n0") >= (CAST('65.0' AS DOUBLE PRECISION)) THEN "n1" ELSE NULL END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "stay" AS "n1", "ward" AS "c2", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: private diagnoses, found privately
WITH measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "diagnosis" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL), held AS (SELECT DISTINCT "unit", "k0"
FROM measured), kept AS (SELECT "k0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("k0") <> 'double precision'::regtype THEN ("k0")::text WHEN ("k0")::text LIKE '%Inf%' THEN REPLACE(("k0")::text, 'Infinity', 'inf') WHEN ("k0")::text LIKE '%e+15' THEN
CASE WHEN (("k0")::text)::numeric::text LIKE '%.%' THEN (("k0")::text)::numeric::text ELSE (("k0")::text)::numeric::text || '.0' END WHEN ("k0")::text LIKE '%.%' OR ("k0")::text LIKE '%e%' THEN ("k0")::text ELSE ("k0")::text || '.0' END), "k0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('3' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";

=== visits: private diagnoses with a mean
WITH measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", SUBSTRING("c0", 1, 3) AS "k0"
FROM (SELECT "diagnosis" AS "c0", "stay" AS "n1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL), held AS (SELECT DISTINCT "unit", "k0"
FROM measured), kept AS (SELECT "k0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("k0") <> 'double precision'::regtype THEN ("k0")::text WHEN ("k0")::text LIKE '%Inf%' THEN REPLACE(("k0")::text, 'Infinity', 'inf') WHEN ("k0")::text LIKE '%e+15' THEN
CASE WHEN (("k0")::text)::numeric::text LIKE '%.%' THEN (("k0")::text)::numeric::text ELSE (("k0")::text)::numeric::text || '.0' END WHEN ("k0")::text LIKE '%.%' OR ("k0")::text LIKE '%e%' THEN ("k0")::text ELSE ("k0")::text || '.0' END), "k0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('3' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";
WITH measured AS MATERIALIZED (SELECT "unit", "cell" AS "cell", "v0"
FROM (SELECT "unit", "k0", "v0"
FROM (SELECT "unit", SUBSTRING("c0", 1, 3) AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "diagnosis" AS "c0", "stay" AS "n1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('0', CAST('0' AS BIGINT))) AS t_g0(g0, cell) ON "k0" = "g0"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: aliases and quoted names
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits with a public lookup
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "unit", "cr0" AS "c0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows INNER
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT "building" AS "cr0", "ward" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "ward", CAST(v1 AS TEXT) COLLATE "C" AS "building", CAST(v2 AS DOUBLE PRECISION) AS "beds"
FROM (VALUES ('Cardiology', 'north', '60.0')) AS listed(v0, v1, v2)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c0" = "cr1") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('north', CAST('0' AS BIGINT)), ('south', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(36893488147419103232 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('32' AS BIGINT) THEN "held" ELSE CAST('32' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: visits with the patients' own table
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c0" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '33554432.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (WITH first_0 AS (SELECT "unit", "n0"
FROM (SELECT "stay" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT "sex" AS "cr0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", "born"::double precision AS "born", CAST(CASE WHEN OCTET_LENGTH("insurance") <= 65536 THEN "insurance"::text END AS TEXT) COLLATE "C" AS "insurance", "patient_id"::bigint AS "patient_id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "n0" AS "n1", "cr0" AS "c0"
FROM (SELECT "unit", "n0"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "n0"
FROM (SELECT "unit", "n0", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("n0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "n0" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "n0") AS "place"
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
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE(CASE WHEN PG_TYPEOF("cr0") <> 'double precision'::regtype THEN ("cr0")::text WHEN ("cr0")::text LIKE '%Inf%' THEN REPLACE(("cr0")::text, 'Infinity', 'inf') WHEN ("cr0")::text LIKE '%e+15' THEN
CASE WHEN (("cr0")::text)::numeric::text LIKE '%.%' THEN (("cr0")::text)::numeric::text ELSE (("cr0")::text)::numeric::text || '.0' END WHEN ("cr0")::text LIKE '%.%' OR ("cr0")::text LIKE '%e%' THEN ("cr0")::text ELSE ("cr0")::text || '.0' END, ('' COLLATE "C"))), "cr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(36893488147419103232 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('32' AS BIGINT) THEN "held" ELSE CAST('32' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: patients of another private table alone
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "insurance" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", "born"::double precision AS "born", CAST(CASE WHEN OCTET_LENGTH("insurance") <= 65536 THEN "insurance"::text END AS TEXT) COLLATE "C" AS "insurance", "patient_id"::bigint AS "patient_id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('public', CAST('0' AS BIGINT)), ('private', CAST('1' AS BIGINT)), ('none', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(1152921504606846976 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('1' AS BIGINT) THEN "held" ELSE CAST('1' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: three tables
WITH measured AS (SELECT "unit", CAST((CAST("l0_code" AS BIGINT)) * CAST('2' AS BIGINT) + CAST("l1_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0", "k1"
FROM (SELECT "unit", "c0" AS "k0", "c1" AS "k1"
FROM (SELECT "unit", "c0" AS "c0", "cr0" AS "c1"
FROM (WITH first_0 AS (SELECT "unit", "c0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT "insurance" AS "cr0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", "born"::double precision AS "born", CAST(CASE WHEN OCTET_LENGTH("insurance") <= 65536 THEN "insurance"::text END AS TEXT) COLLATE "C" AS "insurance", "patient_id"::bigint AS "patient_id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "c0" AS "c1", "cr0" AS "c0"
FROM (SELECT "unit", "c0"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "c0"
FROM (SELECT "unit", "c0", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE(CASE WHEN PG_TYPEOF("c0") <> 'double precision'::regtype THEN ("c0")::text WHEN ("c0")::text LIKE '%Inf%' THEN REPLACE(("c0")::text, 'Infinity', 'inf') WHEN ("c0")::text LIKE '%e+15' THEN
CASE WHEN (("c0")::text)::numeric::text LIKE '%.%' THEN (("c0")::text)::numeric::text ELSE (("c0")::text)::numeric::text || '.0' END WHEN ("c0")::text LIKE '%.%' OR ("c0")::text LIKE '%e%' THEN ("c0")::text ELSE ("c0")::text || '.0' END, ('' COLLATE "C"))), "c0") AS "place"
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
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE(CASE WHEN PG_TYPEOF("cr0") <> 'double precision'::regtype THEN ("cr0")::text WHEN ("cr0")::text LIKE '%Inf%' THEN REPLACE(("cr0")::text, 'Infinity', 'inf') WHEN ("cr0")::text LIKE '%e+15' THEN
CASE WHEN (("cr0")::text)::numeric::text LIKE '%.%' THEN (("cr0")::text)::numeric::text ELSE (("cr0")::text)::numeric::text || '.0' END WHEN ("cr0")::text LIKE '%.%' OR ("cr0")::text LIKE '%e%' THEN ("cr0")::text ELSE ("cr0")::text || '.0' END, ('' COLLATE "C"))), "cr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS inner_rows INNER
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT "building" AS "cr0", "ward" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "ward", CAST(v1 AS TEXT) COLLATE "C" AS "building", CAST(v2 AS DOUBLE PRECISION) AS "beds"
FROM (VALUES ('Cardiology', 'north', '60.0')) AS listed(v0, v1, v2)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c1" = "cr1") AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL AND NOT ("k1") IS NULL) AS keyed
JOIN (VALUES ('public', CAST('0' AS BIGINT)), ('private', CAST('1' AS BIGINT)), ('none', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"
JOIN (VALUES ('north', CAST('0' AS BIGINT)), ('south', CAST('1' AS BIGINT))) AS t_l1_value(l1_value, l1_code) ON "k1" = "l1_value"), pairs AS MATERIALIZED (SELECT DISTINCT "unit", "cell"
FROM measured), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(3458764513820540928 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('3' AS BIGINT) THEN "held" ELSE CAST('3' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", COUNT("cell") AS "held"
FROM pairs
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "weight"
FROM pairs
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: how many visits patients have
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('1.0' AS DOUBLE PRECISION) AND "n0" < CAST('2.0' AS DOUBLE PRECISION) THEN CAST('0' AS BIGINT) WHEN "n0" >= CAST('2.0' AS DOUBLE PRECISION) AND "n0" < CAST('5.0' AS DOUBLE PRECISION) THEN CAST('1' AS BIGINT) WHEN "n0" >= CAST('5.0' AS DOUBLE PRECISION) AND "n0" <= CAST('10.0' AS DOUBLE PRECISION) THEN CAST('2' AS BIGINT) END AS "k0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(*) AS DOUBLE PRECISION) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(*) AS DOUBLE PRECISION) > CAST('10.0' AS DOUBLE PRECISION) THEN CAST('10.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(*) AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit"
FROM (SELECT "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(1152921504606846976 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('1' AS BIGINT) THEN "held" ELSE CAST('1' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a named query, row by row
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c2" AS "k0", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1509949440.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1509949440.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '1.7144137714980277e+302'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.7144137714980277e+302'::double precision THEN '-Infinity'::double precision ELSE a * '1048576.0'::double precision END
FROM (SELECT CAST(NULLIF(CASE WHEN "n1" >= '7.490388061926316e+306'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-7.490388061926316e+306'::double precision THEN '-Infinity'::double precision ELSE "n1" * '24.0'::double precision END, 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT CAST("admitted" AS DOUBLE PRECISION) AS "c0", "stay" AS "n1", "ward" AS "c2", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("c0") >= (CAST('20270.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a named query of each patient, joined
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c0" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n1" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "unit", "n0" AS "n1", "cr0" AS "c0"
FROM (SELECT "unit",
CASE WHEN ((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '3.23796e-319'::double precision THEN '0.0'::double precision ELSE a * '7.62939453125e-06'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN ((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '3.23796e-319'::double precision THEN '0.0'::double precision ELSE a * '7.62939453125e-06'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)) > CAST('100000.0' AS DOUBLE PRECISION) THEN CAST('100000.0' AS DOUBLE PRECISION) ELSE ((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '3.23796e-319'::double precision THEN '0.0'::double precision ELSE a * '7.62939453125e-06'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)) END AS "n0"
FROM (SELECT "unit", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1310720000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '1.3715310171984222e+303'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.3715310171984222e+303'::double precision THEN '-Infinity'::double precision ELSE "n0" * '131072.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1310720000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "cost" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", "cr0"
FROM (SELECT "insurance" AS "cr0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", "born"::double precision AS "born", CAST(CASE WHEN OCTET_LENGTH("insurance") <= 65536 THEN "insurance"::text END AS TEXT) COLLATE "C" AS "insurance", "patient_id"::bigint AS "patient_id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('public', CAST('0' AS BIGINT)), ('private', CAST('1' AS BIGINT)), ('none', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(1152921504606846976 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('1' AS BIGINT) THEN "held" ELSE CAST('1' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: capitals and spaces do not matter
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a group that is not selected is shown in front
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a mean over released groups
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST(CASE WHEN "root" * "root" > "quotient" THEN "root" - CAST('1' AS BIGINT) WHEN ("root" + CAST('1' AS BIGINT)) * ("root" + CAST('1' AS BIGINT)) <= "quotient" THEN "root" + CAST('1' AS BIGINT) ELSE "root" END AS INT) AS "weight"
FROM (SELECT *, CAST(SQRT(CAST("quotient" AS DOUBLE PRECISION)) AS BIGINT) AS "root"
FROM (SELECT *, CAST(DIV(CAST(41505174165846491136 AS DECIMAL(38, 0)), (CASE WHEN "held" > CAST('36' AS BIGINT) THEN "held" ELSE CAST('36' AS BIGINT) END)) AS BIGINT) AS "quotient"
FROM (SELECT "unit", SUM(CAST("together" AS DECIMAL(38, 0)) * "together") AS "held"
FROM (SELECT "unit", COUNT("cell") AS "together"
FROM measured
GROUP BY "unit", "cell") AS together
GROUP BY "unit") AS counted) AS divided) AS rooted)
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
