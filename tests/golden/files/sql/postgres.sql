=== visits: visits in all
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: patients, however many visits each has
WITH measured AS (SELECT "unit", 0 AS "cell"
FROM (SELECT "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== visits: patients and visits by ward
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean and spread share one block
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('61440.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('61440.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "stay" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * (CAST("v0" AS BIGINT) * "v0") AS BIGINT)), 0) AS "v0_squares"
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: proportion of smokers
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(CASE WHEN "c0" THEN CAST('1.0' AS DOUBLE PRECISION) ELSE
CASE WHEN NOT ("c0") THEN CAST('0.0' AS DOUBLE PRECISION) ELSE NULL END END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "smoker" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: median and 90th percentile of the stay
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '8.572068857490139e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.572068857490139e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2097152.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('125829120.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '8.572068857490139e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.572068857490139e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2097152.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '8.572068857490139e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.572068857490139e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2097152.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '8.572068857490139e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.572068857490139e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2097152.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('125829120.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "stay" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10485760' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

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

=== visits: least and largest cost
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('20480000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('20480000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "cost" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("c1") = (('ICU' COLLATE "C")) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10485760' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) BETWEEN CAST('-20480000.0' AS DOUBLE PRECISION) AND CAST('0.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) < CAST('-20480000.0' AS DOUBLE PRECISION) THEN CAST('-20480000.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-2048.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) END) - (CAST('-20480000.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "cost" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("c1") = (('ICU' COLLATE "C")) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10485760' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
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
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES (CAST('0.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('10.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('20.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('30.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('40.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('50.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('60.0' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('70.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT)), (CAST('80.0' AS DOUBLE PRECISION), CAST('8' AS BIGINT)), (CAST('90.0' AS DOUBLE PRECISION), CAST('9' AS BIGINT)), (CAST('100.0' AS DOUBLE PRECISION), CAST('10' AS BIGINT)), (CAST('110.0' AS DOUBLE PRECISION), CAST('11' AS BIGINT)), (CAST('120.0' AS DOUBLE PRECISION), CAST('12' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES (CAST('20089.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('20120.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('20148.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('20179.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('20209.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('20240.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('20270.0' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('20301.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT)), (CAST('20332.0' AS DOUBLE PRECISION), CAST('8' AS BIGINT)), (CAST('20362.0' AS DOUBLE PRECISION), CAST('9' AS BIGINT)), (CAST('20393.0' AS DOUBLE PRECISION), CAST('10' AS BIGINT)), (CAST('20423.0' AS DOUBLE PRECISION), CAST('11' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean time in days from dates
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((((SELECT
CASE WHEN a BETWEEN CAST('-730.0' AS DOUBLE PRECISION) AND CAST('789.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('-730.0' AS DOUBLE PRECISION) THEN CAST('-730.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('789.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(NULLIF((SELECT
CASE WHEN ABS(a) >= '1e+290'::double precision AND ABS(b) >= '1e+290'::double precision AND (a > 0) = (b > 0) AND ABS(a) < 'Infinity'::double precision AND ABS(b) < 'Infinity'::double precision THEN
CASE WHEN ABS(a * '0.5'::double precision + b * '0.5'::double precision) < '8.98846567431158e+307'::double precision THEN a + b WHEN a > 0 THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a + b END
FROM (SELECT CAST("c1" AS DOUBLE PRECISION) AS a, CAST(-("c0") AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands)) - (CAST('-730.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT CAST("admitted" AS DOUBLE PRECISION) AS "c0", CAST("discharged" AS DOUBLE PRECISION) AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: one aggregate of some rows by FILTER
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell",
CASE WHEN NOT (CASE WHEN "c0" THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('0' AS BIGINT) END AS "v0"
FROM (SELECT "smoker" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0"
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: patients of some rows by FILTER
WITH measured AS (SELECT "unit", 0 AS "cell",
CASE WHEN NOT (CASE WHEN ("c0") = (('ICU' COLLATE "C")) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('1' AS BIGINT) END AS "v0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured
WHERE NOT ("v0") IS NULL)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== visits: conditions of every kind
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "diagnosis" AS "c0", CAST("discharged" AS DOUBLE PRECISION) AS "c1", "smoker" AS "c2", "stay" AS "n3", "ward" AS "c4", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n3") >= (CAST('2.0' AS DOUBLE PRECISION)) AND ("n3") <= (CAST('7.0' AS DOUBLE PRECISION)) AND (("c4") = (('ICU' COLLATE "C")) OR ("c4") = (('Oncology' COLLATE "C"))) AND ("c0") LIKE ('J1%' COLLATE "C") ESCAPE '' AND NOT ("c2") AND NOT (("c1") IS NULL) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: missing values filled
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '5.357543035931337e+300'::double precision THEN 'Infinity'::double precision WHEN a <= '-5.357543035931337e+300'::double precision THEN '-Infinity'::double precision ELSE a * '33554432.0'::double precision END
FROM (SELECT CAST(CASE WHEN ("n0") IS NULL THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "n0" END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "stay" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: bounds given in the question
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '2.6787715179656683e+300'::double precision THEN 'Infinity'::double precision WHEN a <= '-2.6787715179656683e+300'::double precision THEN '-Infinity'::double precision ELSE a * '67108864.0'::double precision END
FROM (SELECT CAST(CASE WHEN "n0" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "n0" > CAST('20.0' AS DOUBLE PRECISION) THEN CAST('20.0' AS DOUBLE PRECISION) ELSE "n0" END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "lactate" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: a column without bounds is filtered by
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "lactate" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") > (CAST('4.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: how many wards were visited
WITH measured AS (SELECT "unit", 0 AS "cell", "c1" AS "v0"
FROM (SELECT "age" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") < (CAST('18.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), held AS (SELECT DISTINCT "unit", "cell", "v0"
FROM measured
WHERE NOT ("v0") IS NULL), kept AS (SELECT "cell", "v0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("cell") <> 'double precision'::regtype THEN ("cell")::text WHEN ("cell")::text LIKE '%Inf%' THEN REPLACE(("cell")::text, 'Infinity', 'inf') WHEN ("cell")::text LIKE '%e+15' THEN
CASE WHEN (("cell")::text)::numeric::text LIKE '%.%' THEN (("cell")::text)::numeric::text ELSE (("cell")::text)::numeric::text || '.0' END WHEN ("cell")::text LIKE '%.%' OR ("cell")::text LIKE '%e%' THEN ("cell")::text ELSE ("cell")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("v0") <> 'double precision'::regtype THEN ("v0")::text WHEN ("v0")::text LIKE '%Inf%' THEN REPLACE(("v0")::text, 'Infinity', 'inf') WHEN ("v0")::text LIKE '%e+15' THEN
CASE WHEN (("v0")::text)::numeric::text LIKE '%.%' THEN (("v0")::text)::numeric::text ELSE (("v0")::text)::numeric::text || '.0' END WHEN ("v0")::text LIKE '%.%' OR ("v0")::text LIKE '%e%' THEN ("v0")::text ELSE ("v0")::text || '.0' END), "cell", "v0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('10' AS BIGINT)), pairs AS (SELECT DISTINCT "cell", "v0"
FROM kept)
SELECT "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY "cell";

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
JOIN (VALUES ('0', CAST('0' AS BIGINT))) AS t_g0(g0, cell) ON "k0" = "g0"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('north', CAST('0' AS BIGINT)), ('south', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: the cost of a bed, from a public table
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2097152000.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2097152000.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '1.7144137714980277e+302'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.7144137714980277e+302'::double precision THEN '-Infinity'::double precision ELSE a * '1048576.0'::double precision END
FROM (SELECT CAST(NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST("n0" AS DOUBLE PRECISION) AS a, CAST(NULLIF("n1", CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "unit", "n0" AS "n0", "nr0" AS "n1"
FROM (SELECT "cost" AS "n0", "ward" AS "c1", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "beds" AS "nr0", "ward" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "ward", CAST(v1 AS TEXT) COLLATE "C" AS "building", CAST(v2 AS DOUBLE PRECISION) AS "beds"
FROM (VALUES ('Cardiology', 'north', '60.0')) AS listed(v0, v1, v2)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c1" = "cr1") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
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
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('public', CAST('0' AS BIGINT)), ('private', CAST('1' AS BIGINT)), ('none', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: patients without a visit stay
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell",
CASE WHEN NOT ("n0") IS NULL THEN CAST('0' AS BIGINT) END AS "v0"
FROM (WITH first_0 AS (SELECT "unit"
FROM (SELECT "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", "born"::double precision AS "born", CAST(CASE WHEN OCTET_LENGTH("insurance") <= 65536 THEN "insurance"::text END AS TEXT) COLLATE "C" AS "insurance", "patient_id"::bigint AS "patient_id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "nr0"
FROM (SELECT "stay" AS "nr0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "nr0" AS "n0"
FROM (SELECT "unit"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit"
FROM (SELECT "unit", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END)) AS "place"
FROM first_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "kept") AS inner_rows
LEFT
JOIN (SELECT "unit" AS "other_unit", "nr0"
FROM (SELECT "unit", "nr0"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "nr0"
FROM (SELECT "unit", "nr0", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("nr0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "nr0" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "nr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0"
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
FROM measured), shares AS (SELECT "unit", CAST((CAST('3221225472' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('3' AS BIGINT) THEN COUNT("cell") ELSE CAST('3' AS BIGINT) END)) AS INT) AS "weight"
FROM pairs
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "weight"
FROM pairs
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: mean of what each patient cost
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '1.0972248137587377e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-1.0972248137587377e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '16384.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
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
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
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
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: patients who were in two wards
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) > CAST('10.0' AS DOUBLE PRECISION) THEN CAST('10.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit", "c0" AS "v0"
FROM (SELECT "ward" AS "c0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE ("n0") > (CAST('1.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('public', CAST('0' AS BIGINT)), ('private', CAST('1' AS BIGINT)), ('none', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== visits: comments are not part of it
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "stay" AS "n0", "patient_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("ward") <= 65536 THEN "ward"::text END AS TEXT) COLLATE "C" AS "ward", NULLIF("stay"::double precision, 'NaN'::double precision) AS "stay", NULLIF("cost"::double precision, 'NaN'::double precision) AS "cost", "age"::double precision AS "age", "smoker" AS "smoker", CAST(CASE WHEN OCTET_LENGTH("diagnosis") <= 65536 THEN "diagnosis"::text END AS TEXT) COLLATE "C" AS "diagnosis", (CASE WHEN "admitted" >= '0001-01-01 00:00:00'::date AND "admitted" < '10000-01-01 00:00:00'::date THEN "admitted" END::date - DATE '1970-01-01')::double precision AS "admitted", (CASE WHEN "discharged" >= '0001-01-01 00:00:00'::date AND "discharged" < '10000-01-01 00:00:00'::date THEN "discharged" END::date - DATE '1970-01-01')::double precision AS "discharged",
CASE WHEN "lactate" = 'NaN' THEN NULL WHEN "lactate" >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN 'Infinity'::double precision WHEN "lactate" <= -'179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792'::numeric THEN -'Infinity'::double precision WHEN ABS("lactate") <= '2.4703282292062327208e-324'::numeric THEN '0.0'::double precision ELSE "lactate"::double precision END AS "lactate", "patient_id"::bigint AS "patient_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") > (CAST('2.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
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
JOIN (VALUES ('Cardiology', CAST('0' AS BIGINT)), ('Oncology', CAST('1' AS BIGINT)), ('ICU', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('10737418240' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('10' AS BIGINT) THEN COUNT("cell") ELSE CAST('10' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== persons: how many people
WITH measured AS (SELECT 0 AS "cell"
FROM (SELECT 1 AS one
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: a mean where the number of rows is public
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: a mean of some rows
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "income" AS "n1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") >= (CAST('18.0' AS DOUBLE PRECISION)))
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: mean income by state and sex
WITH measured AS (SELECT (CAST("l0_code" AS BIGINT)) * CAST('2' AS BIGINT) + CAST("l1_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "c2" AS "k0", "c1" AS "k1", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0", "sex" AS "c1", "state" AS "c2"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l1_value(l1_value, l1_code) ON "k1" = "l1_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: total income
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: total of a column with negative values, of some rows
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('-102400000.0' AS DOUBLE PRECISION) AND CAST('1024000000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('-102400000.0' AS DOUBLE PRECISION) THEN CAST('-102400000.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1024000000.0' AS DOUBLE PRECISION) END) - (CAST('-102400000.0' AS DOUBLE PRECISION))), CAST('563200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "married" AS "c0", "wealth" AS "n1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE "c0")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: variance
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" * '0.25'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('50000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" * '0.25'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" * '0.25'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" * '0.25'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('50000.0' AS DOUBLE PRECISION) END, CAST('25000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total", COALESCE(SUM(CAST(CAST("v0" AS BIGINT) * "v0" AS BIGINT)), 0) AS "v0_squares"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: deviation by group
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "c1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('80.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('80.0' AS DOUBLE PRECISION) END, CAST('0.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "hours" AS "n0", "sex" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total", COALESCE(SUM(CAST(CAST("v0" AS BIGINT) * "v0" AS BIGINT)), 0) AS "v0_squares"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: median income
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('102400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('102400000.0' AS DOUBLE PRECISION) END, CAST('51200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT "cell", "v0", COUNT(*) AS "weight"
FROM measured
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== persons: quartiles by state
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "k0", "v0"
FROM (SELECT "c1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('102400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('102400000.0' AS DOUBLE PRECISION) END, CAST('51200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0", "state" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT "cell", "v0", COUNT(*) AS "weight"
FROM measured
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== persons: oldest
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(((CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) BETWEEN CAST('-99.0' AS DOUBLE PRECISION) AND CAST('0.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) < CAST('-99.0' AS DOUBLE PRECISION) THEN CAST('-99.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) END) - (CAST('-99.0' AS DOUBLE PRECISION))), CAST('50.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "age" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT "cell", "v0", COUNT(*) AS "weight"
FROM measured
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== persons: youngest by sex
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "k0", "v0"
FROM (SELECT "c1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('99.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('99.0' AS DOUBLE PRECISION) END, CAST('49.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "sex" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT "cell", "v0", COUNT(*) AS "weight"
FROM measured
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== persons: age pyramid
WITH measured AS (SELECT (CAST("l0_code" AS BIGINT)) * CAST('100' AS BIGINT) + CAST("k1" AS BIGINT) AS "cell"
FROM (SELECT "c1" AS "k0",
CASE WHEN "n0" >= CAST('0.0' AS DOUBLE PRECISION) AND "n0" <= CAST('99.0' AS DOUBLE PRECISION) AND (("n0") - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('99.0' AS DOUBLE PRECISION) AND FLOOR("n0") = "n0" THEN CAST((("n0") - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k1"
FROM (SELECT "age" AS "n0", "sex" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: age pyramid in bins of ten
WITH measured AS (SELECT (CAST("l0_code" AS BIGINT)) * CAST('10' AS BIGINT) + CAST("l1_code" AS BIGINT) AS "cell"
FROM (SELECT "c1" AS "k0", NULLIF((SELECT
CASE WHEN a >= '1.797693134862316e+307'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.797693134862316e+307'::double precision THEN '-Infinity'::double precision ELSE a * '10.0'::double precision END
FROM (SELECT CAST(FLOOR(NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '3e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '10.0'::double precision END, 'NaN'::double precision)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) AS "k1"
FROM (SELECT "age" AS "n0", "sex" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"
JOIN (VALUES (CAST('0.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('10.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('20.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('30.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('40.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('50.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('60.0' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('70.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT)), (CAST('80.0' AS DOUBLE PRECISION), CAST('8' AS BIGINT)), (CAST('90.0' AS DOUBLE PRECISION), CAST('9' AS BIGINT))) AS t_l1_value(l1_value, l1_code) ON "k1" = "l1_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: generations by CASE
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell"
FROM (SELECT
CASE WHEN ("n0") < (CAST('15.0' AS DOUBLE PRECISION)) THEN ('young' COLLATE "C") ELSE
CASE WHEN ("n0") >= (CAST('15.0' AS DOUBLE PRECISION)) AND ("n0") <= (CAST('64.0' AS DOUBLE PRECISION)) THEN ('working' COLLATE "C") ELSE ('old' COLLATE "C") END END AS "k0"
FROM (SELECT "age" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('young', CAST('0' AS BIGINT)), ('working', CAST('1' AS BIGINT)), ('old', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: dependency ratio
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0", "v1"
FROM (SELECT "c1" AS "k0",
CASE WHEN NOT (CASE WHEN ("n0") < (CAST('15.0' AS DOUBLE PRECISION)) OR ("n0") > (CAST('64.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('1' AS BIGINT) END AS "v0",
CASE WHEN NOT (CASE WHEN ("n0") >= (CAST('15.0' AS DOUBLE PRECISION)) AND ("n0") <= (CAST('64.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('1' AS BIGINT) END AS "v1"
FROM (SELECT "age" AS "n0", "state" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COUNT("v1") AS "v1_present"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: married among adults
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(CASE WHEN "c1" THEN CAST('1.0' AS DOUBLE PRECISION) ELSE
CASE WHEN NOT ("c1") THEN CAST('0.0' AS DOUBLE PRECISION) ELSE NULL END END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands), CAST('0.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "married" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") >= (CAST('18.0' AS DOUBLE PRECISION)))
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: a count of a condition
WITH measured AS (SELECT 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(CASE WHEN "c0" THEN CAST('1.0' AS DOUBLE PRECISION) ELSE CAST('0.0' AS DOUBLE PRECISION) END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "married" AS "c0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: numeric categories as groups
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "n1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0", "schooling" AS "n1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES (CAST('1.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('2.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('3.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('4.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('5.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: schooling in words
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell"
FROM (SELECT
CASE WHEN ("n0") = (CAST('1.0' AS DOUBLE PRECISION)) THEN ('none' COLLATE "C") ELSE
CASE WHEN ("n0") = (CAST('2.0' AS DOUBLE PRECISION)) THEN ('basic' COLLATE "C") ELSE ('higher' COLLATE "C") END END AS "k0"
FROM (SELECT "schooling" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('none', CAST('0' AS BIGINT)), ('basic', CAST('1' AS BIGINT)), ('higher', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: hourly wage
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2097152000.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2097152000.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '4.2860344287450693e+301'::double precision THEN 'Infinity'::double precision WHEN a <= '-4.2860344287450693e+301'::double precision THEN '-Infinity'::double precision ELSE a * '4194304.0'::double precision END
FROM (SELECT CAST(CASE WHEN NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST("n1" AS DOUBLE PRECISION) AS a, CAST(NULLIF(NULLIF(CASE WHEN "n0" >= '3.457102182427531e+306'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.457102182427531e+306'::double precision THEN '-Infinity'::double precision ELSE "n0" * '52.0'::double precision END, 'NaN'::double precision), CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST("n1" AS DOUBLE PRECISION) AS a, CAST(NULLIF(NULLIF(CASE WHEN "n0" >= '3.457102182427531e+306'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.457102182427531e+306'::double precision THEN '-Infinity'::double precision ELSE "n0" * '52.0'::double precision END, 'NaN'::double precision), CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) > CAST('500.0' AS DOUBLE PRECISION) THEN CAST('500.0' AS DOUBLE PRECISION) ELSE NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST("n1" AS DOUBLE PRECISION) AS a, CAST(NULLIF(NULLIF(CASE WHEN "n0" >= '3.457102182427531e+306'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.457102182427531e+306'::double precision THEN '-Infinity'::double precision ELSE "n0" * '52.0'::double precision END, 'NaN'::double precision), CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands), CAST('1048576000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "hours" AS "n0", "income" AS "n1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") > (CAST('0.0' AS DOUBLE PRECISION)))
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: income in classes
WITH measured AS (SELECT CAST("k0" AS BIGINT) AS "cell"
FROM (SELECT
CASE WHEN "n0" >= CAST('0.0' AS DOUBLE PRECISION) AND "n0" < CAST('10000.0' AS DOUBLE PRECISION) THEN CAST('0' AS BIGINT) WHEN "n0" >= CAST('10000.0' AS DOUBLE PRECISION) AND "n0" < CAST('20000.0' AS DOUBLE PRECISION) THEN CAST('1' AS BIGINT) WHEN "n0" >= CAST('20000.0' AS DOUBLE PRECISION) AND "n0" < CAST('50000.0' AS DOUBLE PRECISION) THEN CAST('2' AS BIGINT) WHEN "n0" >= CAST('50000.0' AS DOUBLE PRECISION) AND "n0" <= CAST('200000.0' AS DOUBLE PRECISION) THEN CAST('3' AS BIGINT) END AS "k0"
FROM (SELECT "income" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: income in equal parts
WITH measured AS (SELECT CAST("k0" AS BIGINT) AS "cell"
FROM (SELECT
CASE WHEN
CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100000.0' AS DOUBLE PRECISION)) THEN CAST('11.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '2.471e-320'::double precision THEN '0.0'::double precision ELSE a / '10000.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END >= CAST('0.0' AS DOUBLE PRECISION) AND
CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100000.0' AS DOUBLE PRECISION)) THEN CAST('11.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '2.471e-320'::double precision THEN '0.0'::double precision ELSE a / '10000.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END <= CAST('11.0' AS DOUBLE PRECISION) AND ((CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100000.0' AS DOUBLE PRECISION)) THEN CAST('11.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '2.471e-320'::double precision THEN '0.0'::double precision ELSE a / '10000.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END) - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('11.0' AS DOUBLE PRECISION) AND FLOOR(CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100000.0' AS DOUBLE PRECISION)) THEN CAST('11.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '2.471e-320'::double precision THEN '0.0'::double precision ELSE a / '10000.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END) =
CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100000.0' AS DOUBLE PRECISION)) THEN CAST('11.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '2.471e-320'::double precision THEN '0.0'::double precision ELSE a / '10000.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END THEN CAST(((CASE WHEN ("n0") < (CAST('0.0' AS DOUBLE PRECISION)) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE
CASE WHEN ("n0") >= (CAST('100000.0' AS DOUBLE PRECISION)) THEN CAST('11.0' AS DOUBLE PRECISION) ELSE NULLIF((FLOOR(NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '2.471e-320'::double precision THEN '0.0'::double precision ELSE a / '10000.0'::double precision END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('0.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), 'NaN'::double precision))) + (CAST('1.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) END END) - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "income" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: occupations, found privately
WITH measured AS (SELECT "k0"
FROM (SELECT "c0" AS "k0"
FROM (SELECT "occupation" AS "c0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS coded
WHERE NOT ("k0") IS NULL)
SELECT "k0", COUNT(*) AS "weight"
FROM measured
GROUP BY "k0"
ORDER BY "k0";

=== persons: occupations in capitals, with a mean
WITH measured AS (SELECT "k0"
FROM (SELECT (REPLACE(UPPER((BTRIM("c1", '                　')) COLLATE "C.utf8"), 'ß', 'ẞ') COLLATE "C") AS "k0"
FROM (SELECT "income" AS "n0", "occupation" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS coded
WHERE NOT ("k0") IS NULL)
SELECT "k0", COUNT(*) AS "weight"
FROM measured
GROUP BY "k0"
ORDER BY "k0";
WITH measured AS (SELECT "cell" AS "cell", "v0"
FROM (SELECT "k0", "v0"
FROM (SELECT (REPLACE(UPPER((BTRIM("c1", '                　')) COLLATE "C.utf8"), 'ß', 'ẞ') COLLATE "C") AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0", "occupation" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('0', CAST('0' AS BIGINT))) AS t_g0(g0, cell) ON "k0" = "g0")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: how many occupations
WITH measured AS (SELECT 0 AS "cell", "c0" AS "v0"
FROM (SELECT "occupation" AS "c0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read), pairs AS (SELECT DISTINCT "cell", "v0"
FROM measured
WHERE NOT ("v0") IS NULL)
SELECT "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY "cell";

=== persons: how many states
WITH measured AS (SELECT 0 AS "cell", "c1" AS "v0"
FROM (SELECT "income" AS "n0", "state" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") > (CAST('100000.0' AS DOUBLE PRECISION))), pairs AS (SELECT DISTINCT "cell", "v0"
FROM measured
WHERE NOT ("v0") IS NULL)
SELECT "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY "cell";

=== persons: text conditions
WITH measured AS (SELECT 0 AS "cell"
FROM (SELECT "occupation" AS "c0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE LOWER((("c0")) COLLATE "C.utf8") LIKE LOWER((('%nurse%' COLLATE "C")) COLLATE "C.utf8") ESCAPE '' AND (CAST(LENGTH("c0") AS DOUBLE PRECISION)) < (CAST('40.0' AS DOUBLE PRECISION)))
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: regions by a lookup
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "c1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "n0" AS "n0", "cr0" AS "c1"
FROM (SELECT "income" AS "n0", "state" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows INNER
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT "region" AS "cr0", "state" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "state", CAST(v1 AS TEXT) COLLATE "C" AS "region", CAST(v2 AS DOUBLE PRECISION) AS "rent"
FROM (VALUES ('North', 'coast', '60.0')) AS listed(v0, v1, v2)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c1" = "cr1") AS read) AS keyed
JOIN (VALUES ('coast', CAST('0' AS BIGINT)), ('inland', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: rent in relation to income
WITH measured AS (SELECT 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1073741824.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1073741824.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '3.3484643974570854e+299'::double precision THEN 'Infinity'::double precision WHEN a <= '-3.3484643974570854e+299'::double precision THEN '-Infinity'::double precision ELSE a * '536870912.0'::double precision END
FROM (SELECT CAST(CASE WHEN NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST(NULLIF(CASE WHEN "n1" >= '1.4980776123852632e+307'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.4980776123852632e+307'::double precision THEN '-Infinity'::double precision ELSE '12.0'::double precision * "n1" END, 'NaN'::double precision) AS DOUBLE PRECISION) AS a, CAST(NULLIF(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END, CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST(NULLIF(CASE WHEN "n1" >= '1.4980776123852632e+307'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.4980776123852632e+307'::double precision THEN '-Infinity'::double precision ELSE '12.0'::double precision * "n1" END, 'NaN'::double precision) AS DOUBLE PRECISION) AS a, CAST(NULLIF(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END, CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) > CAST('2.0' AS DOUBLE PRECISION) THEN CAST('2.0' AS DOUBLE PRECISION) ELSE NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST(NULLIF(CASE WHEN "n1" >= '1.4980776123852632e+307'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-1.4980776123852632e+307'::double precision THEN '-Infinity'::double precision ELSE '12.0'::double precision * "n1" END, 'NaN'::double precision) AS DOUBLE PRECISION) AS a, CAST(NULLIF(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END, CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "n0" AS "n0", "nr0" AS "n1"
FROM (SELECT "income" AS "n0", "state" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "rent" AS "nr0", "state" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "state", CAST(v1 AS TEXT) COLLATE "C" AS "region", CAST(v2 AS DOUBLE PRECISION) AS "rent"
FROM (VALUES ('North', 'coast', '60.0')) AS listed(v0, v1, v2)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c1" = "cr1") AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: the lookup in a left join
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell"
FROM (SELECT "c0" AS "k0"
FROM (SELECT "cr0" AS "c0"
FROM (SELECT "state" AS "c0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
LEFT
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr1"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT "region" AS "cr0", "state" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "state", CAST(v1 AS TEXT) COLLATE "C" AS "region", CAST(v2 AS DOUBLE PRECISION) AS "rent"
FROM (VALUES ('North', 'coast', '60.0')) AS listed(v0, v1, v2)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c0" = "cr1") AS read) AS keyed
JOIN (VALUES ('coast', CAST('0' AS BIGINT)), ('inland', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: rows of a subquery
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT
CASE WHEN ("n0") < (CAST('30.0' AS DOUBLE PRECISION)) THEN ('young' COLLATE "C") ELSE ('old' COLLATE "C") END AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "income" AS "n1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('young', CAST('0' AS BIGINT)), ('old', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: named queries in a chain
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "c3" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n2" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n2" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n2" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n2" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n2" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n2" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n2" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n2" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "hours" AS "n1", "income" AS "n2", "state" AS "c3"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") >= (CAST('18.0' AS DOUBLE PRECISION)) AND ("n1") > (CAST('0.0' AS DOUBLE PRECISION))) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: rounded and cast
WITH measured AS (SELECT CAST("k0" AS BIGINT) AS "cell", "v0"
FROM (SELECT
CASE WHEN NULLIF(FLOOR(NULLIF((NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '5.0'::double precision END, 'NaN'::double precision)) + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION)) >= CAST('0.0' AS DOUBLE PRECISION) AND NULLIF(FLOOR(NULLIF((NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '5.0'::double precision END, 'NaN'::double precision)) + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION)) <= CAST('20.0' AS DOUBLE PRECISION) AND ((NULLIF(FLOOR(NULLIF((NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '5.0'::double precision END, 'NaN'::double precision)) + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION))) - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('20.0' AS DOUBLE PRECISION) AND FLOOR(NULLIF(FLOOR(NULLIF((NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '5.0'::double precision END, 'NaN'::double precision)) + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION))) = NULLIF(FLOOR(NULLIF((NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '5.0'::double precision END, 'NaN'::double precision)) + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION)) THEN CAST(((NULLIF(FLOOR(NULLIF((NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '1.5e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '5.0'::double precision END, 'NaN'::double precision)) + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION))) - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('80.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('80.0' AS DOUBLE PRECISION) END, CAST('0.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "hours" AS "n1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: released numbers are computed with
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0", "v1"
FROM (SELECT "c1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0", CAST(COALESCE(((CASE WHEN FLOOR((((CASE WHEN "n2" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n2" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('-102400000.0' AS DOUBLE PRECISION) AND CAST('1024000000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n2" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n2" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n2" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n2" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('-102400000.0' AS DOUBLE PRECISION) THEN CAST('-102400000.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n2" >= '1.7555597020139804e+305'::double precision THEN 'Infinity'::double precision WHEN "n2" <= '-1.7555597020139804e+305'::double precision THEN '-Infinity'::double precision ELSE "n2" * '1024.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1024000000.0' AS DOUBLE PRECISION) END) - (CAST('-102400000.0' AS DOUBLE PRECISION))), CAST('563200000.0' AS DOUBLE PRECISION)) AS INT) AS "v1"
FROM (SELECT "income" AS "n0", "sex" AS "c1", "wealth" AS "n2"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('female', CAST('0' AS BIGINT)), ('male', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total", COUNT("v1") AS "v1_present", COALESCE(SUM(CAST("v1" AS BIGINT)), 0) AS "v1_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: conditions on released numbers
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "c1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0", "state" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: a mean of some rows by FILTER, replaced
WITH measured AS (SELECT 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN a <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE a * '8192.0'::double precision END
FROM (SELECT CAST(CASE WHEN ("n0") >= (CAST('18.0' AS DOUBLE PRECISION)) THEN "n1" ELSE NULL END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "age" AS "n0", "income" AS "n1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COUNT("v0") AS "v0_present", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: a total of a CASE without ELSE
WITH measured AS (SELECT 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN a <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE a * '8192.0'::double precision END
FROM (SELECT CAST(CASE WHEN ("c1") = (('female' COLLATE "C")) THEN "n0" ELSE NULL END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "income" AS "n0", "sex" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: group by all that is no aggregate
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell"
FROM (SELECT "c0" AS "k0"
FROM (SELECT "state" AS "c0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: several levels at once
WITH measured AS (SELECT 0 AS "cell", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('102400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '3.511119404027961e+305'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-3.511119404027961e+305'::double precision THEN '-Infinity'::double precision ELSE "n0" * '512.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('102400000.0' AS DOUBLE PRECISION) END, CAST('51200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read)
SELECT "cell", "v0", COUNT(*) AS "weight"
FROM measured
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== persons: how hours go with age, by state
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0_0", "v0_1"
FROM (SELECT "c2" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('99.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('99.0' AS DOUBLE PRECISION) END, CAST('49.0' AS DOUBLE PRECISION)) AS INT) AS "v0_0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('80.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n1" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('80.0' AS DOUBLE PRECISION) END, CAST('0.0' AS DOUBLE PRECISION)) AS INT) AS "v0_1"
FROM (SELECT "age" AS "n0", "hours" AS "n1", "state" AS "c2"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST(CAST('1' AS BIGINT) AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product0", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_1" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product1", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_1" AS BIGINT) * CAST("v0_1" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product2", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_0" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product3", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_0" AS BIGINT) * CAST("v0_1" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product4", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_0" AS BIGINT) * CAST("v0_1" AS BIGINT) * CAST("v0_1" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product5", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_0" AS BIGINT) * CAST("v0_0" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product6", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_0" AS BIGINT) * CAST("v0_0" AS BIGINT) * CAST("v0_1" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product7", COALESCE(SUM(CAST(CASE WHEN NOT ("v0_0") IS NULL AND NOT ("v0_1") IS NULL THEN CAST(CAST("v0_0" AS BIGINT) * CAST("v0_0" AS BIGINT) * CAST("v0_1" AS BIGINT) * CAST("v0_1" AS BIGINT) AS BIGINT) END AS BIGINT)), 0) AS "v0_product8"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== persons: a mean over released groups
WITH measured AS (SELECT CAST("l0_code" AS BIGINT) AS "cell", "v0"
FROM (SELECT "c1" AS "k0", CAST(COALESCE(CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1638400000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1638400000.0' AS DOUBLE PRECISION) END, CAST('819200000.0' AS DOUBLE PRECISION)) AS INT) AS "v0"
FROM (SELECT "income" AS "n0", "state" AS "c1"
FROM (SELECT "age"::double precision AS "age", CAST(CASE WHEN OCTET_LENGTH("sex") <= 65536 THEN "sex"::text END AS TEXT) COLLATE "C" AS "sex", CAST(CASE WHEN OCTET_LENGTH("state") <= 65536 THEN "state"::text END AS TEXT) COLLATE "C" AS "state", "schooling"::double precision AS "schooling", NULLIF("income"::double precision, 'NaN'::double precision) AS "income", "hours"::double precision AS "hours", "married" AS "married", CAST(CASE WHEN OCTET_LENGTH("occupation") <= 65536 THEN "occupation"::text END AS TEXT) COLLATE "C" AS "occupation", NULLIF("wealth"::double precision, 'NaN'::double precision) AS "wealth"
FROM "public"."source" OFFSET 0) AS source) AS read) AS keyed
JOIN (VALUES ('North', CAST('0' AS BIGINT)), ('South', CAST('1' AS BIGINT)), ('East', CAST('2' AS BIGINT)), ('West', CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value")
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "rows_weight", COALESCE(SUM(CAST("v0" AS BIGINT)), 0) AS "v0_total"
FROM measured
GROUP BY CAST("cell" AS BIGINT);

=== log: requests and users
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
WITH measured AS (SELECT "unit", 0 AS "cell"
FROM (SELECT "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== log: requests by status
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "n0" AS "k0"
FROM (SELECT "status" AS "n0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES (CAST('200.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('301.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('404.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('500.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: error rate by method
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c0" AS "k0", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(CASE WHEN ("n1") >= (CAST('400.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE CAST('0.0' AS DOUBLE PRECISION) END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "method" AS "c0", "status" AS "n1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('GET', CAST('0' AS BIGINT)), ('POST', CAST('1' AS BIGINT)), ('PUT', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: active users by day
WITH measured AS (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit",
CASE WHEN "c0" >= CAST('20454.0' AS DOUBLE PRECISION) AND "c0" <= CAST('20543.0' AS DOUBLE PRECISION) AND (("c0") - (CAST('20454.0' AS DOUBLE PRECISION))) <= CAST('89.0' AS DOUBLE PRECISION) AND FLOOR("c0") = "c0" THEN CAST((("c0") - (CAST('20454.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed), pairs AS MATERIALIZED (SELECT DISTINCT "unit", "cell"
FROM measured), shares AS (SELECT "unit", CAST((CAST('5368709120' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('5' AS BIGINT) THEN COUNT("cell") ELSE CAST('5' AS BIGINT) END)) AS INT) AS "weight"
FROM pairs
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "weight"
FROM pairs
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: active users by week
WITH measured AS (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit",
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST((CAST(DATE_TRUNC(('week' COLLATE "C"), CAST((CAST('1970-01-01' AS DATE) + CAST("c0" AS INT)) AS TIMESTAMP)) AS DATE) - CAST('1970-01-01' AS DATE)) AS DOUBLE PRECISION) END AS "k0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES (CAST('20451.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('20458.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('20465.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('20472.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('20479.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('20486.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('20493.0' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('20500.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT)), (CAST('20507.0' AS DOUBLE PRECISION), CAST('8' AS BIGINT)), (CAST('20514.0' AS DOUBLE PRECISION), CAST('9' AS BIGINT)), (CAST('20521.0' AS DOUBLE PRECISION), CAST('10' AS BIGINT)), (CAST('20528.0' AS DOUBLE PRECISION), CAST('11' AS BIGINT)), (CAST('20535.0' AS DOUBLE PRECISION), CAST('12' AS BIGINT)), (CAST('20542.0' AS DOUBLE PRECISION), CAST('13' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), pairs AS MATERIALIZED (SELECT DISTINCT "unit", "cell"
FROM measured), shares AS (SELECT "unit", CAST((CAST('5368709120' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('5' AS BIGINT) THEN COUNT("cell") ELSE CAST('5' AS BIGINT) END)) AS INT) AS "weight"
FROM pairs
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "weight"
FROM pairs
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: users by month
WITH measured AS (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit",
CASE WHEN
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(MONTH
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END >= CAST('1.0' AS DOUBLE PRECISION) AND
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(MONTH
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END <= CAST('12.0' AS DOUBLE PRECISION) AND ((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(MONTH
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) <= CAST('11.0' AS DOUBLE PRECISION) AND FLOOR(CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(MONTH
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) =
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(MONTH
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END THEN CAST(((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(MONTH
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed), pairs AS MATERIALIZED (SELECT DISTINCT "unit", "cell"
FROM measured), shares AS (SELECT "unit", CAST((CAST('5368709120' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('5' AS BIGINT) THEN COUNT("cell") ELSE CAST('5' AS BIGINT) END)) AS INT) AS "weight"
FROM pairs
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "weight"
FROM pairs
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: requests by hour
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('0.0' AS DOUBLE PRECISION) AND "n0" <= CAST('23.0' AS DOUBLE PRECISION) AND (("n0") - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('23.0' AS DOUBLE PRECISION) AND FLOOR("n0") = "n0" THEN CAST((("n0") - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "hour" AS "n0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: day and night
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN ("n0") >= (CAST('8.0' AS DOUBLE PRECISION)) AND ("n0") <= (CAST('19.0' AS DOUBLE PRECISION)) THEN CAST('1' AS BIGINT) WHEN NOT (("n0") >= (CAST('8.0' AS DOUBLE PRECISION)) AND ("n0") <= (CAST('19.0' AS DOUBLE PRECISION))) THEN CAST('0' AS BIGINT) END AS "k0"
FROM (SELECT "hour" AS "n0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: traffic in megabytes
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2048000000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2048000000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "bytes" AS "n0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: traffic by country and device
WITH measured AS MATERIALIZED (SELECT "unit", CAST((CAST("l0_code" AS BIGINT)) * CAST('2' AS BIGINT) + CAST("k1" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c1" AS "k0",
CASE WHEN "c2" THEN CAST('1' AS BIGINT) WHEN NOT ("c2") THEN CAST('0' AS BIGINT) END AS "k1", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2048000000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2048000000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "bytes" AS "n0", "country" AS "c1", "mobile" AS "c2", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('DE', CAST('0' AS BIGINT)), ('FR', CAST('1' AS BIGINT)), ('US', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: latency percentiles
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(CASE WHEN FLOOR((((CASE WHEN "n1" >= '4.2860344287450693e+301'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-4.2860344287450693e+301'::double precision THEN '-Infinity'::double precision ELSE "n1" * '4194304.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('125829120.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '4.2860344287450693e+301'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-4.2860344287450693e+301'::double precision THEN '-Infinity'::double precision ELSE "n1" * '4194304.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '4.2860344287450693e+301'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-4.2860344287450693e+301'::double precision THEN '-Infinity'::double precision ELSE "n1" * '4194304.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '4.2860344287450693e+301'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-4.2860344287450693e+301'::double precision THEN '-Infinity'::double precision ELSE "n1" * '4194304.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('125829120.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "method" AS "c0", "seconds" AS "n1", "status" AS "n2", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("c0") = (('GET' COLLATE "C")) AND ("n2") = (CAST('200.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('104857600' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== log: slowest request
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '1.7144137714980277e+302'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-1.7144137714980277e+302'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1048576.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) BETWEEN CAST('-31457280.0' AS DOUBLE PRECISION) AND CAST('0.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '1.7144137714980277e+302'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-1.7144137714980277e+302'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1048576.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '1.7144137714980277e+302'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-1.7144137714980277e+302'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1048576.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) < CAST('-31457280.0' AS DOUBLE PRECISION) THEN CAST('-31457280.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '1.7144137714980277e+302'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-1.7144137714980277e+302'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1048576.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) END) - (CAST('-31457280.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "seconds" AS "n0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('104857600' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== log: popular pages
WITH measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", "c1" AS "k0"
FROM (SELECT "status" AS "n0", "url" AS "c1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n0") = (CAST('200.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL), held AS (SELECT DISTINCT "unit", "k0"
FROM measured), kept AS (SELECT "k0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("k0") <> 'double precision'::regtype THEN ("k0")::text WHEN ("k0")::text LIKE '%Inf%' THEN REPLACE(("k0")::text, 'Infinity', 'inf') WHEN ("k0")::text LIKE '%e+15' THEN
CASE WHEN (("k0")::text)::numeric::text LIKE '%.%' THEN (("k0")::text)::numeric::text ELSE (("k0")::text)::numeric::text || '.0' END WHEN ("k0")::text LIKE '%.%' OR ("k0")::text LIKE '%e%' THEN ("k0")::text ELSE ("k0")::text || '.0' END), "k0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('5' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";

=== log: popular pages by requests
WITH measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "url" AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
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
WHERE "place" <= CAST('5' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";
WITH measured AS MATERIALIZED (SELECT "unit", "cell" AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "url" AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('0', CAST('0' AS BIGINT))) AS t_g0(g0, cell) ON "k0" = "g0"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: sections of the site, as text
WITH measured AS (SELECT "unit", "k0", "k1"
FROM (SELECT "unit", SUBSTRING("c1", 1, 5) AS "k0", (SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN "c0" = ('DE' COLLATE "C") THEN CAST('0' AS BIGINT) WHEN "c0" = ('FR' COLLATE "C") THEN CAST('1' AS BIGINT) WHEN "c0" = ('US' COLLATE "C") THEN CAST('2' AS BIGINT) END AS a OFFSET 0) AS operands) AS "k1"
FROM (SELECT "country" AS "c0", "url" AS "c1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL AND NOT ("k1") IS NULL), held AS (SELECT DISTINCT "unit", "k0", "k1"
FROM measured), kept AS (SELECT "k0", "k1"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("k0") <> 'double precision'::regtype THEN ("k0")::text WHEN ("k0")::text LIKE '%Inf%' THEN REPLACE(("k0")::text, 'Infinity', 'inf') WHEN ("k0")::text LIKE '%e+15' THEN
CASE WHEN (("k0")::text)::numeric::text LIKE '%.%' THEN (("k0")::text)::numeric::text ELSE (("k0")::text)::numeric::text || '.0' END WHEN ("k0")::text LIKE '%.%' OR ("k0")::text LIKE '%e%' THEN ("k0")::text ELSE ("k0")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("k1") <> 'double precision'::regtype THEN ("k1")::text WHEN ("k1")::text LIKE '%Inf%' THEN REPLACE(("k1")::text, 'Infinity', 'inf') WHEN ("k1")::text LIKE '%e+15' THEN
CASE WHEN (("k1")::text)::numeric::text LIKE '%.%' THEN (("k1")::text)::numeric::text ELSE (("k1")::text)::numeric::text || '.0' END WHEN ("k1")::text LIKE '%.%' OR ("k1")::text LIKE '%e%' THEN ("k1")::text ELSE ("k1")::text || '.0' END), "k0", "k1") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('5' AS BIGINT))
SELECT "k0", "k1", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0", "k1"
ORDER BY "k0", "k1";

=== log: sections of the site, as written groups
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN ("c0") LIKE ('/shop/%' COLLATE "C") ESCAPE '' THEN ('shop' COLLATE "C") ELSE
CASE WHEN (SUBSTRING("c0", 1, 5)) = (('/blog' COLLATE "C")) THEN ('blog' COLLATE "C") ELSE ('other' COLLATE "C") END END AS "k0"
FROM (SELECT "url" AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('shop', CAST('0' AS BIGINT)), ('blog', CAST('1' AS BIGINT)), ('other', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: requests with a referrer
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell",
CASE WHEN NOT ("c0") IS NULL THEN CAST('0' AS BIGINT) END AS "v0"
FROM (SELECT "referrer" AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: from search engines
WITH measured AS (SELECT "unit", 0 AS "cell"
FROM (SELECT "referrer" AS "c0", "url" AS "c1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE (STRPOS((LOWER(("c0") COLLATE "C.utf8") COLLATE "C"), ('search' COLLATE "C")) > 0) AND NOT (("c1") LIKE ('%.png' COLLATE "C") ESCAPE '') AND NOT ("unit") IS NULL), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== log: how many different pages
WITH measured AS (SELECT "unit", 0 AS "cell", "c0" AS "v0"
FROM (SELECT "url" AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), held AS (SELECT DISTINCT "unit", "cell", "v0"
FROM measured
WHERE NOT ("v0") IS NULL), kept AS (SELECT "cell", "v0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("cell") <> 'double precision'::regtype THEN ("cell")::text WHEN ("cell")::text LIKE '%Inf%' THEN REPLACE(("cell")::text, 'Infinity', 'inf') WHEN ("cell")::text LIKE '%e+15' THEN
CASE WHEN (("cell")::text)::numeric::text LIKE '%.%' THEN (("cell")::text)::numeric::text ELSE (("cell")::text)::numeric::text || '.0' END WHEN ("cell")::text LIKE '%.%' OR ("cell")::text LIKE '%e%' THEN ("cell")::text ELSE ("cell")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("v0") <> 'double precision'::regtype THEN ("v0")::text WHEN ("v0")::text LIKE '%Inf%' THEN REPLACE(("v0")::text, 'Infinity', 'inf') WHEN ("v0")::text LIKE '%e+15' THEN
CASE WHEN (("v0")::text)::numeric::text LIKE '%.%' THEN (("v0")::text)::numeric::text ELSE (("v0")::text)::numeric::text || '.0' END WHEN ("v0")::text LIKE '%.%' OR ("v0")::text LIKE '%e%' THEN ("v0")::text ELSE ("v0")::text || '.0' END), "cell", "v0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('100' AS BIGINT)), pairs AS (SELECT DISTINCT "cell", "v0"
FROM kept)
SELECT "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY "cell";

=== log: different pages by country
WITH measured AS (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "k0", "v0"
FROM (SELECT "unit", "c0" AS "k0", "c1" AS "v0"
FROM (SELECT "country" AS "c0", "url" AS "c1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('DE', CAST('0' AS BIGINT)), ('FR', CAST('1' AS BIGINT)), ('US', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), held AS (SELECT DISTINCT "unit", "cell", "v0"
FROM measured
WHERE NOT ("v0") IS NULL), kept AS (SELECT "cell", "v0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("cell") <> 'double precision'::regtype THEN ("cell")::text WHEN ("cell")::text LIKE '%Inf%' THEN REPLACE(("cell")::text, 'Infinity', 'inf') WHEN ("cell")::text LIKE '%e+15' THEN
CASE WHEN (("cell")::text)::numeric::text LIKE '%.%' THEN (("cell")::text)::numeric::text ELSE (("cell")::text)::numeric::text || '.0' END WHEN ("cell")::text LIKE '%.%' OR ("cell")::text LIKE '%e%' THEN ("cell")::text ELSE ("cell")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("v0") <> 'double precision'::regtype THEN ("v0")::text WHEN ("v0")::text LIKE '%Inf%' THEN REPLACE(("v0")::text, 'Infinity', 'inf') WHEN ("v0")::text LIKE '%e+15' THEN
CASE WHEN (("v0")::text)::numeric::text LIKE '%.%' THEN (("v0")::text)::numeric::text ELSE (("v0")::text)::numeric::text || '.0' END WHEN ("v0")::text LIKE '%.%' OR ("v0")::text LIKE '%e%' THEN ("v0")::text ELSE ("v0")::text || '.0' END), "cell", "v0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('100' AS BIGINT)), pairs AS (SELECT DISTINCT "cell", "v0"
FROM kept)
SELECT "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY "cell";

=== log: last week
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("c0") > (CASE WHEN (FLOOR(NULLIF((CAST('20543.0' AS DOUBLE PRECISION)) - (CAST('7.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)))) >= CAST('-719162.0' AS DOUBLE PRECISION) AND (FLOOR(NULLIF((CAST('20543.0' AS DOUBLE PRECISION)) - (CAST('7.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)))) <= CAST('2932896.0' AS DOUBLE PRECISION) THEN FLOOR(NULLIF((CAST('20543.0' AS DOUBLE PRECISION)) - (CAST('7.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION))) END) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: dates written as texts
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("c0") >= (CAST('20485.0' AS DOUBLE PRECISION)) AND ("c0") <= (CAST('20512.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: two periods side by side
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell",
CASE WHEN NOT (CASE WHEN ("c0") < (CAST('20485.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('0' AS BIGINT) WHEN NOT (CASE WHEN ("c0") >= (CAST('20485.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('1' AS BIGINT) END AS "v0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('1' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part1"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: the change between two periods
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell",
CASE WHEN NOT (CASE WHEN ("c0") >= (CAST('20485.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('0' AS BIGINT) WHEN NOT (CASE WHEN ("c0") < (CAST('20485.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('1' AS BIGINT) END AS "v0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('1' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part1"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: bins of dates
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "c0" >= CAST('20454.0' AS DOUBLE PRECISION) AND "c0" < CAST('20485.0' AS DOUBLE PRECISION) THEN CAST('0' AS BIGINT) WHEN "c0" >= CAST('20485.0' AS DOUBLE PRECISION) AND "c0" <= CAST('20543.0' AS DOUBLE PRECISION) THEN CAST('1' AS BIGINT) END AS "k0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: requests of each user
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('1.0' AS DOUBLE PRECISION) AND CAST('100.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(*) AS DOUBLE PRECISION) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(*) AS DOUBLE PRECISION) > CAST('100.0' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(*) AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit"
FROM (SELECT "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('1.0' AS DOUBLE PRECISION) AND CAST('100.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(*) AS DOUBLE PRECISION) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(*) AS DOUBLE PRECISION) > CAST('100.0' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(*) AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit"
FROM (SELECT "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1048576' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== log: users by their number of active days
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('0.0' AS DOUBLE PRECISION) AND "n0" <= CAST('30.0' AS DOUBLE PRECISION) AND (("n0") - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('30.0' AS DOUBLE PRECISION) AND FLOOR("n0") = "n0" THEN CAST((("n0") - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) > CAST('100.0' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit", "c0" AS "v0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE ("n0") <= (CAST('30.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: heavy users by country
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "unit", "k0" AS "c0",
CASE WHEN ((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.064e-321'::double precision THEN '0.0'::double precision ELSE a * '0.00048828125'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN ((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.064e-321'::double precision THEN '0.0'::double precision ELSE a * '0.00048828125'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)) > CAST('100000000.0' AS DOUBLE PRECISION) THEN CAST('100000000.0' AS DOUBLE PRECISION) ELSE ((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '5.064e-321'::double precision THEN '0.0'::double precision ELSE a * '0.00048828125'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)) END AS "n1"
FROM (SELECT "unit", "c1" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2048000000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2048000000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "bytes" AS "n0", "country" AS "c1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit", "k0") AS read
WHERE ("n1") > (CAST('1000000.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('DE', CAST('0' AS BIGINT)), ('FR', CAST('1' AS BIGINT)), ('US', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: first and last day of each user
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((((SELECT
CASE WHEN a BETWEEN CAST('-89.0' AS DOUBLE PRECISION) AND CAST('89.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('-89.0' AS DOUBLE PRECISION) THEN CAST('-89.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('89.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(NULLIF((SELECT
CASE WHEN ABS(a) >= '1e+290'::double precision AND ABS(b) >= '1e+290'::double precision AND (a > 0) = (b > 0) AND ABS(a) < 'Infinity'::double precision AND ABS(b) < 'Infinity'::double precision THEN
CASE WHEN ABS(a * '0.5'::double precision + b * '0.5'::double precision) < '8.98846567431158e+307'::double precision THEN a + b WHEN a > 0 THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a + b END
FROM (SELECT CAST("c1" AS DOUBLE PRECISION) AS a, CAST(-("c0") AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands)) - (CAST('-89.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN MIN("v0") < CAST('20454.0' AS DOUBLE PRECISION) THEN CAST('20454.0' AS DOUBLE PRECISION) WHEN MIN("v0") > CAST('20543.0' AS DOUBLE PRECISION) THEN CAST('20543.0' AS DOUBLE PRECISION) ELSE MIN("v0") END AS "c0",
CASE WHEN MAX("v1") < CAST('20454.0' AS DOUBLE PRECISION) THEN CAST('20454.0' AS DOUBLE PRECISION) WHEN MAX("v1") > CAST('20543.0' AS DOUBLE PRECISION) THEN CAST('20543.0' AS DOUBLE PRECISION) ELSE MAX("v1") END AS "c1"
FROM (SELECT "unit", "c0" AS "v0", "c0" AS "v1"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: requests by the users' plan
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (WITH first_0 AS (SELECT "unit"
FROM (SELECT "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT "plan" AS "cr0", "id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("plan") <= 65536 THEN "plan"::text END AS TEXT) COLLATE "C" AS "plan", (CASE WHEN "joined" >= '0001-01-01 00:00:00'::date AND "joined" < '10000-01-01 00:00:00'::date THEN "joined" END::date - DATE '1970-01-01')::double precision AS "joined", "id"::bigint AS "id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "cr0" AS "c0"
FROM (SELECT "unit"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit"
FROM (SELECT "unit", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END)) AS "place"
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
JOIN (VALUES ('free', CAST('0' AS BIGINT)), ('paid', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
WITH measured AS (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (WITH first_0 AS (SELECT "unit"
FROM (SELECT "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT "plan" AS "cr0", "id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("plan") <= 65536 THEN "plan"::text END AS TEXT) COLLATE "C" AS "plan", (CASE WHEN "joined" >= '0001-01-01 00:00:00'::date AND "joined" < '10000-01-01 00:00:00'::date THEN "joined" END::date - DATE '1970-01-01')::double precision AS "joined", "id"::bigint AS "id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "cr0" AS "c0"
FROM (SELECT "unit"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit"
FROM (SELECT "unit", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END)) AS "place"
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
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('free', CAST('0' AS BIGINT)), ('paid', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== log: how long users had been there
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((((SELECT
CASE WHEN a BETWEEN CAST('-89.0' AS DOUBLE PRECISION) AND CAST('2281.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('-89.0' AS DOUBLE PRECISION) THEN CAST('-89.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2281.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(NULLIF((SELECT
CASE WHEN ABS(a) >= '1e+290'::double precision AND ABS(b) >= '1e+290'::double precision AND (a > 0) = (b > 0) AND ABS(a) < 'Infinity'::double precision AND ABS(b) < 'Infinity'::double precision THEN
CASE WHEN ABS(a * '0.5'::double precision + b * '0.5'::double precision) < '8.98846567431158e+307'::double precision THEN a + b WHEN a > 0 THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a + b END
FROM (SELECT CAST("c0" AS DOUBLE PRECISION) AS a, CAST(-("c1") AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands)) - (CAST('-89.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (WITH first_0 AS (SELECT "unit", "c0"
FROM (SELECT CAST("day" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT CAST("joined" AS DOUBLE PRECISION) AS "cr0", "id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("plan") <= 65536 THEN "plan"::text END AS TEXT) COLLATE "C" AS "plan", (CASE WHEN "joined" >= '0001-01-01 00:00:00'::date AND "joined" < '10000-01-01 00:00:00'::date THEN "joined" END::date - DATE '1970-01-01')::double precision AS "joined", "id"::bigint AS "id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "c0" AS "c0", "cr0" AS "c1"
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
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: continents
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c0" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n1" >= '2.6787715179656683e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.6787715179656683e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '67108864.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '2.6787715179656683e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.6787715179656683e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '67108864.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '2.6787715179656683e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.6787715179656683e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '67108864.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '2.6787715179656683e+300'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.6787715179656683e+300'::double precision THEN '-Infinity'::double precision ELSE "n1" * '67108864.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "unit", "n1" AS "n1", "cr1" AS "c0"
FROM (SELECT "country" AS "c0", "seconds" AS "n1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows INNER
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr0"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT "code" AS "cr0", "continent" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "code", CAST(v1 AS TEXT) COLLATE "C" AS "continent"
FROM (VALUES ('DE', 'Europe')) AS listed(v0, v1)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c0" = "cr0") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Europe', CAST('0' AS BIGINT)), ('America', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: paying users' traffic on each continent
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c0" AS "k0", CAST(CASE WHEN FLOOR((((CASE WHEN "n1" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2048000000.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '2048.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2048000000.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "unit", "n0" AS "n1", "cr1" AS "c0"
FROM (WITH first_0 AS (SELECT "unit", "n0", "c1"
FROM (SELECT "bytes" AS "n0", "country" AS "c1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit"
FROM (SELECT "unit"
FROM (SELECT "plan" AS "c0", "id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("plan") <= 65536 THEN "plan"::text END AS TEXT) COLLATE "C" AS "plan", (CASE WHEN "joined" >= '0001-01-01 00:00:00'::date AND "joined" < '10000-01-01 00:00:00'::date THEN "joined" END::date - DATE '1970-01-01')::double precision AS "joined", "id"::bigint AS "id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE ("c0") = (('paid' COLLATE "C"))) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "n0" AS "n0", "c1" AS "c1"
FROM (SELECT "unit", "n0", "c1"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "n0", "c1"
FROM (SELECT "unit", "n0", "c1", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("n0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "n0" END AS a OFFSET 0) AS operands), ('' COLLATE "C")) || ('' COLLATE "C") || COALESCE(CASE WHEN PG_TYPEOF("c1") <> 'double precision'::regtype THEN ("c1")::text WHEN ("c1")::text LIKE '%Inf%' THEN REPLACE(("c1")::text, 'Infinity', 'inf') WHEN ("c1")::text LIKE '%e+15' THEN
CASE WHEN (("c1")::text)::numeric::text LIKE '%.%' THEN (("c1")::text)::numeric::text ELSE (("c1")::text)::numeric::text || '.0' END WHEN ("c1")::text LIKE '%.%' OR ("c1")::text LIKE '%e%' THEN ("c1")::text ELSE ("c1")::text || '.0' END, ('' COLLATE "C"))), "n0", "c1") AS "place"
FROM first_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "kept") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit"
FROM (SELECT "unit"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit"
FROM (SELECT "unit", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END)) AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS inner_rows INNER
JOIN (SELECT "cr0", "cr1"
FROM (SELECT "cr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "cr0"
ORDER BY "cr0", "cr1") AS "place"
FROM (SELECT "code" AS "cr0", "continent" AS "cr1"
FROM (SELECT CAST(v0 AS TEXT) COLLATE "C" AS "code", CAST(v1 AS TEXT) COLLATE "C" AS "continent"
FROM (VALUES ('DE', 'Europe')) AS listed(v0, v1)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "c1" = "cr0") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Europe', CAST('0' AS BIGINT)), ('America', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: users without a request
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (WITH first_0 AS (SELECT "unit"
FROM (SELECT "id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("plan") <= 65536 THEN "plan"::text END AS TEXT) COLLATE "C" AS "plan", (CASE WHEN "joined" >= '0001-01-01 00:00:00'::date AND "joined" < '10000-01-01 00:00:00'::date THEN "joined" END::date - DATE '1970-01-01')::double precision AS "joined", "id"::bigint AS "id"
FROM "public"."private_0" OFFSET 0) AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "nr0"
FROM (SELECT "hour" AS "nr0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "nr0" AS "n0"
FROM (SELECT "unit"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit"
FROM (SELECT "unit", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END)) AS "place"
FROM first_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "kept") AS inner_rows
LEFT
JOIN (SELECT "unit" AS "other_unit", "nr0"
FROM (SELECT "unit", "nr0"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "nr0"
FROM (SELECT "unit", "nr0", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("nr0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "nr0" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "nr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE ("n0") IS NULL AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: remainders and signs
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN NULLIF(CASE WHEN ABS("n0") < '9.223372036854776e+18'::double precision THEN (TRUNC("n0")::bigint % '6'::bigint)::double precision + ("n0" - TRUNC("n0")) END, CAST('NaN' AS DOUBLE PRECISION)) >= CAST('0.0' AS DOUBLE PRECISION) AND NULLIF(CASE WHEN ABS("n0") < '9.223372036854776e+18'::double precision THEN (TRUNC("n0")::bigint % '6'::bigint)::double precision + ("n0" - TRUNC("n0")) END, CAST('NaN' AS DOUBLE PRECISION)) <= CAST('5.0' AS DOUBLE PRECISION) AND ((NULLIF(CASE WHEN ABS("n0") < '9.223372036854776e+18'::double precision THEN (TRUNC("n0")::bigint % '6'::bigint)::double precision + ("n0" - TRUNC("n0")) END, CAST('NaN' AS DOUBLE PRECISION))) - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('5.0' AS DOUBLE PRECISION) AND FLOOR(NULLIF(CASE WHEN ABS("n0") < '9.223372036854776e+18'::double precision THEN (TRUNC("n0")::bigint % '6'::bigint)::double precision + ("n0" - TRUNC("n0")) END, CAST('NaN' AS DOUBLE PRECISION))) = NULLIF(CASE WHEN ABS("n0") < '9.223372036854776e+18'::double precision THEN (TRUNC("n0")::bigint % '6'::bigint)::double precision + ("n0" - TRUNC("n0")) END, CAST('NaN' AS DOUBLE PRECISION)) THEN CAST(((NULLIF(CASE WHEN ABS("n0") < '9.223372036854776e+18'::double precision THEN (TRUNC("n0")::bigint % '6'::bigint)::double precision + ("n0" - TRUNC("n0")) END, CAST('NaN' AS DOUBLE PRECISION))) - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "hour" AS "n0", "seconds" AS "n1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE (NULLIF((CAST('0.0' AS DOUBLE PRECISION)) - ("n1"), CAST('NaN' AS DOUBLE PRECISION))) < (CAST('-1.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: bytes per second, bounded
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2048000000.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2048000000.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '8.777798510069902e+304'::double precision THEN 'Infinity'::double precision WHEN a <= '-8.777798510069902e+304'::double precision THEN '-Infinity'::double precision ELSE a * '2048.0'::double precision END
FROM (SELECT CAST(CASE WHEN NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST("n0" AS DOUBLE PRECISION) AS a, CAST(NULLIF("n1", CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST("n0" AS DOUBLE PRECISION) AS a, CAST(NULLIF("n1", CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) > CAST('1000000.0' AS DOUBLE PRECISION) THEN CAST('1000000.0' AS DOUBLE PRECISION) ELSE NULLIF((SELECT
CASE WHEN ABS(b) = 'Infinity'::double precision THEN
CASE WHEN ABS(a) < 'Infinity'::double precision THEN '0.0'::double precision END WHEN a = 0 OR ABS(a) = 'Infinity'::double precision THEN a / b WHEN ABS(b) >= 1 THEN
CASE WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN a / b WHEN ABS(a * '3.432398830065305e+156'::double precision) / ABS(b * '2.913414348125081e-157'::double precision) <= '2.9103830456733704e-11'::double precision THEN '0.0'::double precision ELSE a / b END WHEN ABS(a) >= 1 THEN
CASE WHEN ABS(a * '2.2227587494850775e-162'::double precision) / ABS(b * '4.4989137945431964e+161'::double precision) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END WHEN ABS(a) >= '8.881784197001252e-16'::double precision THEN
CASE WHEN ABS(a) / ABS(b * '1.2676506002282294e+30'::double precision) >= '1.418129833677085e+278'::double precision THEN
CASE WHEN (a > 0) = (b > 0) THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a / b END ELSE a / b END
FROM (SELECT CAST("n0" AS DOUBLE PRECISION) AS a, CAST(NULLIF("n1", CAST('0.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "bytes" AS "n0", "seconds" AS "n1", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE ("n1") > (CAST('0.1' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: logarithms of sizes
WITH measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN NULLIF(FLOOR(CASE WHEN (CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) > CAST('0.0' AS DOUBLE PRECISION) THEN LOG10(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) END), CAST('NaN' AS DOUBLE PRECISION)) >= CAST('0.0' AS DOUBLE PRECISION) AND NULLIF(FLOOR(CASE WHEN (CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) > CAST('0.0' AS DOUBLE PRECISION) THEN LOG10(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) END), CAST('NaN' AS DOUBLE PRECISION)) <= CAST('6.0' AS DOUBLE PRECISION) AND ((NULLIF(FLOOR(CASE WHEN (CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) > CAST('0.0' AS DOUBLE PRECISION) THEN LOG10(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) END), CAST('NaN' AS DOUBLE PRECISION))) - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('6.0' AS DOUBLE PRECISION) AND FLOOR(NULLIF(FLOOR(CASE WHEN (CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) > CAST('0.0' AS DOUBLE PRECISION) THEN LOG10(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) END), CAST('NaN' AS DOUBLE PRECISION))) = NULLIF(FLOOR(CASE WHEN (CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) > CAST('0.0' AS DOUBLE PRECISION) THEN LOG10(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) END), CAST('NaN' AS DOUBLE PRECISION)) THEN CAST(((NULLIF(FLOOR(CASE WHEN (CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) > CAST('0.0' AS DOUBLE PRECISION) THEN LOG10(CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) <= ("n0") THEN "n0" ELSE
CASE WHEN (CAST('1.0' AS DOUBLE PRECISION)) > ("n0") THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END END) END), CAST('NaN' AS DOUBLE PRECISION))) - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "bytes" AS "n0", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== log: conditions with missing values
WITH measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "mobile" AS "c0", "referrer" AS "c1", "seconds" AS "n2", "user_id" AS "unit"
FROM (SELECT CAST(CASE WHEN OCTET_LENGTH("url") <= 65536 THEN "url"::text END AS TEXT) COLLATE "C" AS "url", CAST(CASE WHEN OCTET_LENGTH("referrer") <= 65536 THEN "referrer"::text END AS TEXT) COLLATE "C" AS "referrer", CAST(CASE WHEN OCTET_LENGTH("method") <= 65536 THEN "method"::text END AS TEXT) COLLATE "C" AS "method", "status"::double precision AS "status", NULLIF("bytes"::double precision, 'NaN'::double precision) AS "bytes", NULLIF("seconds"::double precision, 'NaN'::double precision) AS "seconds", (CASE WHEN "day" >= '0001-01-01 00:00:00'::date AND "day" < '10000-01-01 00:00:00'::date THEN "day" END::date - DATE '1970-01-01')::double precision AS "day", "hour"::double precision AS "hour", "mobile" AS "mobile", CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."source" OFFSET 0) AS source) AS read
WHERE (NOT (CASE WHEN ("c1") = (('/' COLLATE "C")) THEN TRUE ELSE ("c1") IS NULL AND (('/' COLLATE "C")) IS NULL END) OR
CASE WHEN "c0" THEN TRUE ELSE FALSE END) AND (CASE WHEN ("n2") IS NULL THEN CAST('30.0' AS DOUBLE PRECISION) ELSE "n2" END) < (CAST('2.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('107374182400' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('100' AS BIGINT) THEN COUNT("cell") ELSE CAST('100' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: ratings and raters
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS (SELECT "unit", 0 AS "cell"
FROM (SELECT "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== ratings: mean rating
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: ratings of each film
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('1.0' AS DOUBLE PRECISION) AND "n0" <= CAST('200.0' AS DOUBLE PRECISION) AND (("n0") - (CAST('1.0' AS DOUBLE PRECISION))) <= CAST('199.0' AS DOUBLE PRECISION) AND FLOOR("n0") = "n0" THEN CAST((("n0") - (CAST('1.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: the best films with enough ratings
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('1.0' AS DOUBLE PRECISION) AND "n0" <= CAST('200.0' AS DOUBLE PRECISION) AND (("n0") - (CAST('1.0' AS DOUBLE PRECISION))) <= CAST('199.0' AS DOUBLE PRECISION) AND FLOOR("n0") = "n0" THEN CAST((("n0") - (CAST('1.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0", CAST(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "film_id" AS "n0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: half stars as groups
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", NULLIF((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '1e-323'::double precision THEN '0.0'::double precision ELSE a / '2.0'::double precision END
FROM (SELECT CAST(FLOOR(NULLIF(CASE WHEN "n0" >= '8.98846567431158e+307'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-8.98846567431158e+307'::double precision THEN '-Infinity'::double precision ELSE "n0" * '2.0'::double precision END, 'NaN'::double precision)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) AS "k0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES (CAST('0.5' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('1.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('1.5' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('2.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('2.5' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('3.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('3.5' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('4.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT)), (CAST('4.5' AS DOUBLE PRECISION), CAST('8' AS BIGINT)), (CAST('5.0' AS DOUBLE PRECISION), CAST('9' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: whole stars by ROUND
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN NULLIF(FLOOR(NULLIF(("n0") + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION)) >= CAST('1.0' AS DOUBLE PRECISION) AND NULLIF(FLOOR(NULLIF(("n0") + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION)) <= CAST('5.0' AS DOUBLE PRECISION) AND ((NULLIF(FLOOR(NULLIF(("n0") + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION))) - (CAST('1.0' AS DOUBLE PRECISION))) <= CAST('4.0' AS DOUBLE PRECISION) AND FLOOR(NULLIF(FLOOR(NULLIF(("n0") + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION))) = NULLIF(FLOOR(NULLIF(("n0") + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION)) THEN CAST(((NULLIF(FLOOR(NULLIF(("n0") + (CAST('0.5' AS DOUBLE PRECISION)), 'NaN'::double precision)), CAST('NaN' AS DOUBLE PRECISION))) - (CAST('1.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: stars in bins
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('0.5' AS DOUBLE PRECISION) AND "n0" < CAST('2.0' AS DOUBLE PRECISION) THEN CAST('0' AS BIGINT) WHEN "n0" >= CAST('2.0' AS DOUBLE PRECISION) AND "n0" < CAST('3.5' AS DOUBLE PRECISION) THEN CAST('1' AS BIGINT) WHEN "n0" >= CAST('3.5' AS DOUBLE PRECISION) AND "n0" <= CAST('5.0' AS DOUBLE PRECISION) THEN CAST('2' AS BIGINT) END AS "k0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: mean rating by genre
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c0" AS "k0", CAST(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit", "n1" AS "n1", "cr1" AS "c0"
FROM (SELECT "film_id" AS "n0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "genre" AS "cr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('drama', CAST('0' AS BIGINT)), ('comedy', CAST('1' AS BIGINT)), ('horror', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: users by genre
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "unit", "cr1" AS "c0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "genre" AS "cr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed
JOIN (VALUES ('drama', CAST('0' AS BIGINT)), ('comedy', CAST('1' AS BIGINT)), ('horror', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== ratings: ratings by the film's decade
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", NULLIF((SELECT
CASE WHEN a >= '1.797693134862316e+307'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.797693134862316e+307'::double precision THEN '-Infinity'::double precision ELSE a * '10.0'::double precision END
FROM (SELECT CAST(FLOOR(NULLIF(CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS("n0") < '3e-323'::double precision THEN '0.0'::double precision ELSE "n0" / '10.0'::double precision END, 'NaN'::double precision)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands), CAST('NaN' AS DOUBLE PRECISION)) AS "k0", CAST(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit", "n1" AS "n1", "nr1" AS "n0"
FROM (SELECT "film_id" AS "n0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "nr1"
FROM (SELECT "nr0", "nr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "nr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "year" AS "nr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES (CAST('1950.0' AS DOUBLE PRECISION), CAST('0' AS BIGINT)), (CAST('1960.0' AS DOUBLE PRECISION), CAST('1' AS BIGINT)), (CAST('1970.0' AS DOUBLE PRECISION), CAST('2' AS BIGINT)), (CAST('1980.0' AS DOUBLE PRECISION), CAST('3' AS BIGINT)), (CAST('1990.0' AS DOUBLE PRECISION), CAST('4' AS BIGINT)), (CAST('2000.0' AS DOUBLE PRECISION), CAST('5' AS BIGINT)), (CAST('2010.0' AS DOUBLE PRECISION), CAST('6' AS BIGINT)), (CAST('2020.0' AS DOUBLE PRECISION), CAST('7' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: films by title, found privately
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "unit", "cr1" AS "c0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "title" AS "cr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL), held AS (SELECT DISTINCT "unit", "k0"
FROM measured), kept AS (SELECT "k0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("k0") <> 'double precision'::regtype THEN ("k0")::text WHEN ("k0")::text LIKE '%Inf%' THEN REPLACE(("k0")::text, 'Infinity', 'inf') WHEN ("k0")::text LIKE '%e+15' THEN
CASE WHEN (("k0")::text)::numeric::text LIKE '%.%' THEN (("k0")::text)::numeric::text ELSE (("k0")::text)::numeric::text || '.0' END WHEN ("k0")::text LIKE '%.%' OR ("k0")::text LIKE '%e%' THEN ("k0")::text ELSE ("k0")::text || '.0' END), "k0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('4' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";

=== ratings: long films
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit", "n1" AS "n1", "nr1" AS "n0"
FROM (SELECT "film_id" AS "n0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "nr1"
FROM (SELECT "nr0", "nr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "nr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "minutes" AS "nr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE ("n0") > (CAST('150.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: time spent with films
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '2.1430172143725346e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1430172143725346e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8388608.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('503316480.0' AS DOUBLE PRECISION) AND CAST('2013265920.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '2.1430172143725346e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1430172143725346e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8388608.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '2.1430172143725346e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1430172143725346e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8388608.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('503316480.0' AS DOUBLE PRECISION) THEN CAST('503316480.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '2.1430172143725346e+301'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-2.1430172143725346e+301'::double precision THEN '-Infinity'::double precision ELSE "n0" * '8388608.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2013265920.0' AS DOUBLE PRECISION) END) - (CAST('503316480.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit", "nr1" AS "n0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "nr1"
FROM (SELECT "nr0", "nr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "nr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "minutes" AS "nr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: films that were shown in a city
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "unit", "cr0" AS "c0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "cr0", "nr1"
FROM (SELECT "cr0", "nr1", ROW_NUMBER() OVER (PARTITION BY "nr1"
ORDER BY "cr0", "nr1") AS "place"
FROM (SELECT "city" AS "cr0", "film_id" AS "nr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "city"
FROM (VALUES ('60.0', 'Berlin')) AS listed(v0, v1)) AS public_1) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1000' AS BIGINT)) AS other_rows ON "n0" = "nr1") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('Berlin', CAST('0' AS BIGINT)), ('Paris', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: young and old raters
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_private_0 AS MATERIALIZED (SELECT "age"::double precision AS "age", "user_id"::bigint AS "user_id"
FROM "public"."private_0")
SELECT COUNT(*) AS rows
FROM read_private_0;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), read_private_0 AS MATERIALIZED (SELECT "age"::double precision AS "age", "user_id"::bigint AS "user_id"
FROM "public"."private_0"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit",
CASE WHEN ("n1") < (CAST('30.0' AS DOUBLE PRECISION)) THEN CAST('1' AS BIGINT) WHEN NOT (("n1") < (CAST('30.0' AS DOUBLE PRECISION))) THEN CAST('0' AS BIGINT) END AS "k0", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (WITH first_0 AS (SELECT "unit", "n0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "nr0"
FROM (SELECT "age" AS "nr0", "user_id" AS "unit"
FROM read_private_0 AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "n0" AS "n0", "nr0" AS "n1"
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
JOIN (SELECT "unit" AS "other_unit", "nr0"
FROM (SELECT "unit", "nr0"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "nr0"
FROM (SELECT "unit", "nr0", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("nr0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "nr0" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "nr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: raters by country and genre
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_private_0 AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."private_0")
SELECT COUNT(*) AS rows
FROM read_private_0;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), read_private_0 AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."private_0"), measured AS MATERIALIZED (SELECT "unit", CAST((CAST("l0_code" AS BIGINT)) * CAST('3' AS BIGINT) + CAST("l1_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c2" AS "k0", "c0" AS "k1", CAST(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit", "n1" AS "n1", "c2" AS "c2", "cr1" AS "c0"
FROM (WITH first_0 AS (SELECT "unit", "n0", "n1"
FROM (SELECT "film_id" AS "n0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "cr0"
FROM (SELECT "country" AS "cr0", "user_id" AS "unit"
FROM read_private_0 AS private_0) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "n0" AS "n0", "n1" AS "n1", "cr0" AS "c2"
FROM (SELECT "unit", "n0", "n1"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "n0", "n1"
FROM (SELECT "unit", "n0", "n1", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("n0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "n0" END AS a OFFSET 0) AS operands), ('' COLLATE "C")) || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("n1") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "n1" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "n0", "n1") AS "place"
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
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "genre" AS "cr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('DE', CAST('0' AS BIGINT)), ('FR', CAST('1' AS BIGINT)), ('US', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"
JOIN (VALUES ('drama', CAST('0' AS BIGINT)), ('comedy', CAST('1' AS BIGINT)), ('horror', CAST('2' AS BIGINT))) AS t_l1_value(l1_value, l1_code) ON "k1" = "l1_value"), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: rated from the watchlist
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_private_1 AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."private_1")
SELECT COUNT(*) AS rows
FROM read_private_1;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), read_private_1 AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."private_1"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (WITH first_0 AS (SELECT "unit", "n0", "n1"
FROM (SELECT "film_id" AS "n0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "nr0"
FROM (SELECT "film_id" AS "nr0", "user_id" AS "unit"
FROM read_private_1 AS private_1) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "n1" AS "n0"
FROM (SELECT "unit", "n0", "n1"
FROM first_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "n0", "n1"
FROM (SELECT "unit", "n0", "n1", "kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("n0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "n0" END AS a OFFSET 0) AS operands), ('' COLLATE "C")) || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("n1") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "n1" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "n0", "n1") AS "place"
FROM first_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "kept") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", "nr0"
FROM (SELECT "unit", "nr0"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "nr0"
FROM (SELECT "unit", "nr0", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("nr0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "nr0" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "nr0") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit" AND "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: on the watchlist and not rated
WITH read_private_1 AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."private_1")
SELECT COUNT(*) AS rows
FROM read_private_1;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_private_1 AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."private_1"), read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (WITH first_0 AS (SELECT "unit", "n0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_private_1 AS private_1) AS inner_rows
WHERE NOT ("unit") IS NULL), second_0 AS (SELECT "unit", "nr0", "nr1"
FROM (SELECT "film_id" AS "nr0", "stars" AS "nr1", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL), many_0 AS (SELECT "other_unit", GREATEST((1000000 / "other_held"), 1000) AS "kept", GREATEST((1000000 / "held"), 1000) AS "other_kept"
FROM (SELECT "unit" AS "unit", COUNT(*) AS "held"
FROM first_0
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", COUNT(*) AS "other_held"
FROM second_0
GROUP BY "unit") AS other_rows ON "unit" = "other_unit"
WHERE "held" > (1000000 / "other_held"))
SELECT "unit", "nr1" AS "n0"
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
WHERE "place" <= "kept") AS inner_rows
LEFT
JOIN (SELECT "unit" AS "other_unit", "nr0", "nr1"
FROM (SELECT "unit", "nr0", "nr1"
FROM second_0
LEFT
JOIN many_0 ON "unit" = "other_unit"
WHERE "other_unit" IS NULL
UNION ALL
SELECT "unit", "nr0", "nr1"
FROM (SELECT "unit", "nr0", "nr1", "other_kept", ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("nr0") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "nr0" END AS a OFFSET 0) AS operands), ('' COLLATE "C")) || ('' COLLATE "C") || COALESCE((SELECT
CASE WHEN PG_TYPEOF(a) <> 'double precision'::regtype THEN (a)::text WHEN (a)::text LIKE '%Inf%' THEN REPLACE((a)::text, 'Infinity', 'inf') WHEN (a)::text LIKE '%e+15' THEN
CASE WHEN ((a)::text)::numeric::text LIKE '%.%' THEN ((a)::text)::numeric::text ELSE ((a)::text)::numeric::text || '.0' END WHEN (a)::text LIKE '%.%' OR (a)::text LIKE '%e%' THEN (a)::text ELSE (a)::text || '.0' END
FROM (SELECT
CASE WHEN ("nr1") = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "nr1" END AS a OFFSET 0) AS operands), ('' COLLATE "C"))), "nr0", "nr1") AS "place"
FROM second_0
JOIN many_0 ON "unit" = "other_unit") AS inner_rows
WHERE "place" <= "other_kept") AS inner_rows) AS other_rows ON "unit" = "other_unit" AND "n0" = "nr0") AS read
WHERE ("n0") IS NULL AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: watchlists with a lookup
WITH read_private_1 AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."private_1")
SELECT COUNT(*) AS rows
FROM read_private_1;
WITH read_private_1 AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."private_1"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "c0" AS "k0"
FROM (SELECT "unit", "cr1" AS "c0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_private_1 AS private_1) AS inner_rows INNER
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "genre" AS "cr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('drama', CAST('0' AS BIGINT)), ('comedy', CAST('1' AS BIGINT)), ('horror', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('21474836480' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('20' AS BIGINT) THEN COUNT("cell") ELSE CAST('20' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: each user's mean, averaged
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN ((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '6.6312369e-316'::double precision THEN '0.0'::double precision ELSE a * '3.725290298461914e-09'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) / CAST(COUNT("v0") AS DOUBLE PRECISION)) < CAST('0.5' AS DOUBLE PRECISION) THEN CAST('0.5' AS DOUBLE PRECISION) WHEN ((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '6.6312369e-316'::double precision THEN '0.0'::double precision ELSE a * '3.725290298461914e-09'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) / CAST(COUNT("v0") AS DOUBLE PRECISION)) > CAST('5.0' AS DOUBLE PRECISION) THEN CAST('5.0' AS DOUBLE PRECISION) ELSE ((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '6.6312369e-316'::double precision THEN '0.0'::double precision ELSE a * '3.725290298461914e-09'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) / CAST(COUNT("v0") AS DOUBLE PRECISION)) END AS "n0"
FROM (SELECT "unit", (CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT)) + CAST('134217728' AS BIGINT) AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: strict and generous users
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN ("n0") < (CAST('3.0' AS DOUBLE PRECISION)) THEN ('strict' COLLATE "C") ELSE ('generous' COLLATE "C") END AS "k0"
FROM (SELECT "unit",
CASE WHEN ((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '6.6312369e-316'::double precision THEN '0.0'::double precision ELSE a * '3.725290298461914e-09'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) / CAST(COUNT("v0") AS DOUBLE PRECISION)) < CAST('0.5' AS DOUBLE PRECISION) THEN CAST('0.5' AS DOUBLE PRECISION) WHEN ((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '6.6312369e-316'::double precision THEN '0.0'::double precision ELSE a * '3.725290298461914e-09'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) / CAST(COUNT("v0") AS DOUBLE PRECISION)) > CAST('5.0' AS DOUBLE PRECISION) THEN CAST('5.0' AS DOUBLE PRECISION) ELSE ((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision WHEN ABS(a) < '6.6312369e-316'::double precision THEN '0.0'::double precision ELSE a * '3.725290298461914e-09'::double precision END
FROM (SELECT CAST(CAST(SUM(CAST("v0" AS BIGINT)) AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) / CAST(COUNT("v0") AS DOUBLE PRECISION)) END AS "n0"
FROM (SELECT "unit", (CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT)) + CAST('134217728' AS BIGINT) AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('strict', CAST('0' AS BIGINT)), ('generous', CAST('1' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: each user's range
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((((SELECT
CASE WHEN a BETWEEN CAST('-603979776.0' AS DOUBLE PRECISION) AND CAST('603979776.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('-603979776.0' AS DOUBLE PRECISION) THEN CAST('-603979776.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('603979776.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '1.3393857589828342e+300'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.3393857589828342e+300'::double precision THEN '-Infinity'::double precision ELSE a * '134217728.0'::double precision END
FROM (SELECT CAST(NULLIF((SELECT
CASE WHEN ABS(a) >= '1e+290'::double precision AND ABS(b) >= '1e+290'::double precision AND (a > 0) = (b > 0) AND ABS(a) < 'Infinity'::double precision AND ABS(b) < 'Infinity'::double precision THEN
CASE WHEN ABS(a * '0.5'::double precision + b * '0.5'::double precision) < '8.98846567431158e+307'::double precision THEN a + b WHEN a > 0 THEN 'Infinity'::double precision ELSE '-Infinity'::double precision END ELSE a + b END
FROM (SELECT CAST("n0" AS DOUBLE PRECISION) AS a, CAST(-("n1") AS DOUBLE PRECISION) AS b OFFSET 0) AS operands), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands)) - (CAST('-603979776.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN MAX("v0") < CAST('0.5' AS DOUBLE PRECISION) THEN CAST('0.5' AS DOUBLE PRECISION) WHEN MAX("v0") > CAST('5.0' AS DOUBLE PRECISION) THEN CAST('5.0' AS DOUBLE PRECISION) ELSE MAX("v0") END AS "n0",
CASE WHEN MIN("v1") < CAST('0.5' AS DOUBLE PRECISION) THEN CAST('0.5' AS DOUBLE PRECISION) WHEN MIN("v1") > CAST('5.0' AS DOUBLE PRECISION) THEN CAST('5.0' AS DOUBLE PRECISION) ELSE MIN("v1") END AS "n1"
FROM (SELECT "unit", "n0" AS "v0", "n0" AS "v1"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: how many ratings users give
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('1.0' AS DOUBLE PRECISION) AND CAST('50.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(*) AS DOUBLE PRECISION) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(*) AS DOUBLE PRECISION) > CAST('50.0' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(*) AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit"
FROM (SELECT "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1048576' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) BETWEEN CAST('-50.0' AS DOUBLE PRECISION) AND CAST('-1.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) < CAST('-50.0' AS DOUBLE PRECISION) THEN CAST('-50.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN '-Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN 'Infinity'::double precision ELSE "n0" * '-1.0'::double precision END)) + (CAST('0.0' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('-1.0' AS DOUBLE PRECISION) END) - (CAST('-50.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(*) AS DOUBLE PRECISION) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(*) AS DOUBLE PRECISION) > CAST('50.0' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(*) AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit"
FROM (SELECT "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1048576' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT "cell", "v0", CAST(COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS BIGINT) AS "weight"
FROM measured
JOIN shares USING ("unit")
WHERE NOT ("v0") IS NULL
GROUP BY "cell", "v0"
ORDER BY "cell", "v0";

=== ratings: users who rated in every year
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) > CAST('50.0' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit",
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END AS "v0"
FROM (SELECT CAST("rated" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE ("n0") = (CAST('6.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: the number of genres that users rate
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('0.0' AS DOUBLE PRECISION) AND "n0" <= CAST('50.0' AS DOUBLE PRECISION) AND (("n0") - (CAST('0.0' AS DOUBLE PRECISION))) <= CAST('50.0' AS DOUBLE PRECISION) AND FLOOR("n0") = "n0" THEN CAST((("n0") - (CAST('0.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) > CAST('50.0' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit", "c0" AS "v0"
FROM (SELECT "unit", "cr1" AS "c0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows INNER
JOIN (SELECT "nr0", "cr1"
FROM (SELECT "nr0", "cr1", ROW_NUMBER() OVER (PARTITION BY "nr0"
ORDER BY "nr0", "cr1") AS "place"
FROM (SELECT "film_id" AS "nr0", "genre" AS "cr1"
FROM (SELECT CAST(v0 AS DOUBLE PRECISION) AS "film_id", CAST(v1 AS TEXT) COLLATE "C" AS "title", CAST(v2 AS TEXT) COLLATE "C" AS "genre", CAST(v3 AS DOUBLE PRECISION) AS "year", CAST(v4 AS DOUBLE PRECISION) AS "minutes"
FROM (VALUES ('60.0', 'it''s', 'drama', '60.0', '60.0')) AS listed(v0, v1, v2, v3, v4)) AS public_0) AS inner_rows) AS inner_rows
WHERE "place" <= CAST('1' AS BIGINT)) AS other_rows ON "n0" = "nr0") AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: users with a table of their own, by person
WITH read_private_0 AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."private_0")
SELECT COUNT(*) AS rows
FROM read_private_0;
WITH read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_private_0 AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("country") <= 65536 THEN "country"::text END AS TEXT) COLLATE "C" AS "country", "user_id"::bigint AS "user_id"
FROM "public"."private_0"), read_source AS MATERIALIZED (SELECT "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("l0_code" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit", "c1" AS "k0", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('1.0' AS DOUBLE PRECISION) AND CAST('50.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "unit", "n0" AS "n0", "cr0" AS "c1"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(*) AS DOUBLE PRECISION) < CAST('1.0' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(*) AS DOUBLE PRECISION) > CAST('50.0' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(*) AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit"
FROM (SELECT "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS inner_rows INNER
JOIN (SELECT "unit" AS "other_unit", "cr0"
FROM (SELECT "country" AS "cr0", "user_id" AS "unit"
FROM read_private_0 AS private_0) AS inner_rows) AS other_rows ON "unit" = "other_unit") AS read
WHERE NOT ("unit") IS NULL) AS keyed
JOIN (VALUES ('DE', CAST('0' AS BIGINT)), ('FR', CAST('1' AS BIGINT)), ('US', CAST('2' AS BIGINT))) AS t_l0_value(l0_value, l0_code) ON "k0" = "l0_value"), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: distinct films of each user
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(CASE WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('50.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE "n0" * '1.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) END AS INT) AS "v0"
FROM (SELECT "unit",
CASE WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) > CAST('50.0' AS DOUBLE PRECISION) THEN CAST('50.0' AS DOUBLE PRECISION) ELSE CAST(COUNT(DISTINCT "v0") AS DOUBLE PRECISION) END AS "n0"
FROM (SELECT "unit", "n0" AS "v0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('1073741824' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('1' AS BIGINT) THEN COUNT("cell") ELSE CAST('1' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: distinct pairs of user and film
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell"
FROM (SELECT "unit"
FROM (SELECT "unit", "n0" AS "k0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS inner_rows
WHERE NOT ("unit") IS NULL) AS inner_rows
GROUP BY "unit", "k0") AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: tags, found privately
WITH read_source AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("tag") <= 65536 THEN "tag"::text END AS TEXT) COLLATE "C" AS "tag", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("tag") <= 65536 THEN "tag"::text END AS TEXT) COLLATE "C" AS "tag", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS (SELECT "unit", "k0"
FROM (SELECT "unit", (LOWER(("c0") COLLATE "C.utf8") COLLATE "C") AS "k0"
FROM (SELECT "tag" AS "c0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL), held AS (SELECT DISTINCT "unit", "k0"
FROM measured), kept AS (SELECT "k0"
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "unit"
ORDER BY MD5(CASE WHEN PG_TYPEOF("unit") <> 'double precision'::regtype THEN ("unit")::text WHEN ("unit")::text LIKE '%Inf%' THEN REPLACE(("unit")::text, 'Infinity', 'inf') WHEN ("unit")::text LIKE '%e+15' THEN
CASE WHEN (("unit")::text)::numeric::text LIKE '%.%' THEN (("unit")::text)::numeric::text ELSE (("unit")::text)::numeric::text || '.0' END WHEN ("unit")::text LIKE '%.%' OR ("unit")::text LIKE '%e%' THEN ("unit")::text ELSE ("unit")::text || '.0' END || ('' COLLATE "C") ||
CASE WHEN PG_TYPEOF("k0") <> 'double precision'::regtype THEN ("k0")::text WHEN ("k0")::text LIKE '%Inf%' THEN REPLACE(("k0")::text, 'Infinity', 'inf') WHEN ("k0")::text LIKE '%e+15' THEN
CASE WHEN (("k0")::text)::numeric::text LIKE '%.%' THEN (("k0")::text)::numeric::text ELSE (("k0")::text)::numeric::text || '.0' END WHEN ("k0")::text LIKE '%.%' OR ("k0")::text LIKE '%e%' THEN ("k0")::text ELSE ("k0")::text || '.0' END), "k0") AS "place"
FROM held) AS ranked
WHERE "place" <= CAST('4' AS BIGINT))
SELECT "k0", COUNT(*) AS "weight"
FROM kept
GROUP BY "k0"
ORDER BY "k0";

=== ratings: tagged or not
WITH read_source AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("tag") <= 65536 THEN "tag"::text END AS TEXT) COLLATE "C" AS "tag", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT CAST(CASE WHEN OCTET_LENGTH("tag") <= 65536 THEN "tag"::text END AS TEXT) COLLATE "C" AS "tag", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN ("c0") IS NULL THEN CAST('1' AS BIGINT) WHEN NOT (("c0") IS NULL) THEN CAST('0' AS BIGINT) END AS "k0"
FROM (SELECT "tag" AS "c0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: ratings by year
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit",
CASE WHEN
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END >= CAST('2020.0' AS DOUBLE PRECISION) AND
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END <= CAST('2025.0' AS DOUBLE PRECISION) AND ((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('2020.0' AS DOUBLE PRECISION))) <= CAST('5.0' AS DOUBLE PRECISION) AND FLOOR(CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) =
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END THEN CAST(((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('2020.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0", CAST(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n1" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT CAST("rated" AS DOUBLE PRECISION) AS "c0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: quarters of one year
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit",
CASE WHEN
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(QUARTER
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END >= CAST('1.0' AS DOUBLE PRECISION) AND
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(QUARTER
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END <= CAST('4.0' AS DOUBLE PRECISION) AND ((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(QUARTER
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) <= CAST('3.0' AS DOUBLE PRECISION) AND FLOOR(CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(QUARTER
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) =
CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(QUARTER
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END THEN CAST(((CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(QUARTER
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) - (CAST('1.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT CAST("rated" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE (CASE WHEN ("c0") >= CAST('-719162.0' AS DOUBLE PRECISION) AND ("c0") <= CAST('2932896.0' AS DOUBLE PRECISION) THEN CAST(EXTRACT(YEAR
FROM (CAST('1970-01-01' AS DATE) + CAST("c0" AS INT))) AS DOUBLE PRECISION) END) = (CAST('2024.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: rewatched films
WITH read_source AS MATERIALIZED (SELECT "rewatched" AS "rewatched", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "rewatched" AS "rewatched", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell", "v0"
FROM (SELECT "unit",
CASE WHEN "c0" THEN CAST('1' AS BIGINT) WHEN NOT ("c0") THEN CAST('0' AS BIGINT) END AS "k0", CAST(((CASE WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('4096.0' AS DOUBLE PRECISION) AND CAST('40960.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('4096.0' AS DOUBLE PRECISION) THEN CAST('4096.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n1" >= '2.1944496275174755e+304'::double precision THEN 'Infinity'::double precision WHEN "n1" <= '-2.1944496275174755e+304'::double precision THEN '-Infinity'::double precision ELSE "n1" * '8192.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('40960.0' AS DOUBLE PRECISION) END) - (CAST('4096.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "rewatched" AS "c0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS keyed), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * (CAST("v0" AS BIGINT) * "v0") AS BIGINT)), 0) AS "v0_squares"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: share of five stars
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(CASE WHEN ("n0") = (CAST('5.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE
CASE WHEN NOT (("n0") = (CAST('5.0' AS DOUBLE PRECISION))) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE NULL END END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: five stars for every other
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell",
CASE WHEN NOT (CASE WHEN ("n0") = (CAST('5.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('0' AS BIGINT) WHEN NOT (CASE WHEN ("n0") < (CAST('5.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('1' AS BIGINT) END AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('0' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part0", COALESCE(SUM(CAST(CASE WHEN "v0" = CAST('1' AS BIGINT) THEN "weight" END AS BIGINT)), 0) AS "v0_part1"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: the same aggregate twice is paid once
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST(((CASE WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) BETWEEN CAST('134217728.0' AS DOUBLE PRECISION) AND CAST('1342177280.0' AS DOUBLE PRECISION) THEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) < CAST('134217728.0' AS DOUBLE PRECISION) THEN CAST('134217728.0' AS DOUBLE PRECISION) WHEN FLOOR((((CASE WHEN "n0" >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN "n0" <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE "n0" * '268435456.0'::double precision END)) + (CAST('0.5' AS DOUBLE PRECISION)))) <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1342177280.0' AS DOUBLE PRECISION) END) - (CAST('134217728.0' AS DOUBLE PRECISION))) AS INT) AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: conditions on people
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS (SELECT "unit", 0 AS "cell",
CASE WHEN NOT (CASE WHEN ("n0") = (CAST('5.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE NULL END) IS NULL THEN CAST('1' AS BIGINT) END AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), pairs AS (SELECT DISTINCT "unit", "cell"
FROM measured
WHERE NOT ("v0") IS NULL)
SELECT CAST("cell" AS BIGINT) AS "cell", COUNT(*) AS "weight"
FROM pairs
GROUP BY CAST("cell" AS BIGINT);

=== ratings: mean of squares
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1677721600.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1677721600.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN a <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE a * '268435456.0'::double precision END
FROM (SELECT CAST(NULLIF(((SELECT
CASE WHEN a >= '1.3379088160259653e+154'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.3379088160259653e+154'::double precision THEN 'Infinity'::double precision WHEN ABS(a) < '1.51657508881031e-154'::double precision THEN '0.0'::double precision ELSE POWER(a, '2.0'::double precision) END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('3.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)), CAST('NaN' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: a root of a released number
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1677721600.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1677721600.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= '6.696928794914171e+299'::double precision THEN 'Infinity'::double precision WHEN a <= '-6.696928794914171e+299'::double precision THEN '-Infinity'::double precision ELSE a * '268435456.0'::double precision END
FROM (SELECT CAST(NULLIF(((SELECT
CASE WHEN a >= '1.3379088160259653e+154'::double precision THEN 'Infinity'::double precision WHEN a <= '-1.3379088160259653e+154'::double precision THEN 'Infinity'::double precision WHEN ABS(a) < '1.51657508881031e-154'::double precision THEN '0.0'::double precision ELSE POWER(a, '2.0'::double precision) END
FROM (SELECT CAST(NULLIF(("n0") - (CAST('3.0' AS DOUBLE PRECISION)), CAST('NaN' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands)), CAST('NaN' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT "stars" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: days since a date
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2191.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('2191.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(NULLIF(("c0") - (CAST('18262.0' AS DOUBLE PRECISION)), 'NaN'::double precision) AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT CAST("rated" AS DOUBLE PRECISION) AS "c0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: one row of a subquery of a subquery
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT (CASE WHEN "rated" >= '0001-01-01 00:00:00'::date AND "rated" < '10000-01-01 00:00:00'::date THEN "rated" END::date - DATE '1970-01-01')::double precision AS "rated", NULLIF("stars"::double precision, 'NaN'::double precision) AS "stars", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS MATERIALIZED (SELECT "unit", 0 AS "cell", CAST((SELECT
CASE WHEN a BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('1.0' AS DOUBLE PRECISION) THEN a WHEN a < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN a <= CAST('Infinity' AS DOUBLE PRECISION) THEN CAST('1.0' AS DOUBLE PRECISION) END
FROM (SELECT FLOOR(((((SELECT
CASE WHEN a >= 'Infinity'::double precision THEN 'Infinity'::double precision WHEN a <= '-Infinity'::double precision THEN '-Infinity'::double precision ELSE a * '1.0'::double precision END
FROM (SELECT CAST(CASE WHEN ("n1") >= (CAST('4.0' AS DOUBLE PRECISION)) THEN CAST('1.0' AS DOUBLE PRECISION) ELSE
CASE WHEN NOT (("n1") >= (CAST('4.0' AS DOUBLE PRECISION))) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE NULL END END AS DOUBLE PRECISION) AS a OFFSET 0) AS operands))) + (CAST('0.5' AS DOUBLE PRECISION)))) AS a OFFSET 0) AS operands) AS INT) AS "v0"
FROM (SELECT CAST("rated" AS DOUBLE PRECISION) AS "c0", "stars" AS "n1", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE ("c0") >= (CAST('19358.0' AS DOUBLE PRECISION)) AND NOT ("unit") IS NULL), shares AS (SELECT "unit", CAST((CAST('53687091200' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('50' AS BIGINT) THEN COUNT("cell") ELSE CAST('50' AS BIGINT) END)) AS INT) AS "weight"
FROM measured
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "rows_weight", COALESCE(SUM(CAST(CASE WHEN NOT ("v0") IS NULL THEN "weight" END AS BIGINT)), 0) AS "v0_present", COALESCE(SUM(CAST(CAST("weight" AS BIGINT) * ("v0") AS BIGINT)), 0) AS "v0_total"
FROM measured
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);

=== ratings: a mean over released groups
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source")
SELECT COUNT(*) AS rows
FROM read_source;
WITH read_source AS MATERIALIZED (SELECT "film_id"::double precision AS "film_id", "user_id"::bigint AS "user_id"
FROM "public"."source"), measured AS (SELECT "unit", CAST(CAST("k0" AS BIGINT) AS SMALLINT) AS "cell"
FROM (SELECT "unit", "k0"
FROM (SELECT "unit",
CASE WHEN "n0" >= CAST('1.0' AS DOUBLE PRECISION) AND "n0" <= CAST('200.0' AS DOUBLE PRECISION) AND (("n0") - (CAST('1.0' AS DOUBLE PRECISION))) <= CAST('199.0' AS DOUBLE PRECISION) AND FLOOR("n0") = "n0" THEN CAST((("n0") - (CAST('1.0' AS DOUBLE PRECISION))) AS BIGINT) END AS "k0"
FROM (SELECT "film_id" AS "n0", "user_id" AS "unit"
FROM read_source AS source) AS read
WHERE NOT ("unit") IS NULL) AS coded
WHERE NOT ("k0") IS NULL) AS keyed), pairs AS MATERIALIZED (SELECT DISTINCT "unit", "cell"
FROM measured), shares AS (SELECT "unit", CAST((CAST('4294967296' AS BIGINT) / (CASE WHEN COUNT("cell") > CAST('4' AS BIGINT) THEN COUNT("cell") ELSE CAST('4' AS BIGINT) END)) AS INT) AS "weight"
FROM pairs
GROUP BY "unit")
SELECT CAST("cell" AS BIGINT) AS "cell", COALESCE(SUM(CAST("weight" AS BIGINT)), 0) AS "weight"
FROM pairs
JOIN shares USING ("unit")
GROUP BY CAST("cell" AS BIGINT);
