// Usage: node duckdb.mjs STATEMENTS.sql OUT LARGE, see .ci/duckdb.
import { DuckDBInstance } from '@duckdb/node-api';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

const [statements, out, large] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(':memory:')).connect();
const rows = async (sql) => (await db.runAndReadAll(sql)).getRowsJson();
await db.run('SET threads = 1'); // sums in one order, so that they can be equal
console.log(`DuckDB ${(await rows('SELECT version()'))[0][0]}`);

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
const header = (csv) => fs.readFileSync(csv, 'utf8').split('\n', 1)[0].split(',');
const columns = async (parquet) => (await rows(`DESCRIBE SELECT * FROM '${parquet}'`)).map(([name, type]) => ({ name, type }));

// The CSV file with the types of the Parquet file. It has no word for "no text",
// and the number of a sweep value is in the Parquet file only.
async function csvLike(parquet) {
  const csv = parquet.replace(/\.parquet$/, '.csv');
  const all = await columns(parquet);
  const names = header(csv);
  const typed = all.filter((c) => names.includes(c.name));
  assert.deepEqual(typed.map((c) => c.name), names, `${parquet}: other columns than ${csv}`);
  for (const c of all.filter((c) => !names.includes(c.name))) {
    assert.match(c.name, /_value$/, `${parquet}: column ${c.name} is not in ${csv}`);
    assert.ok(names.includes(c.name.replace(/_value$/, '')), `${parquet}: ${c.name} is the value of no column`);
    assert.equal(c.type, 'DOUBLE', `${parquet}: type of ${c.name}`);
  }
  const types = typed.map((c) => `'${c.name.replaceAll("'", "''")}': '${c.type}'`).join(', ');
  const select = all.map((c) => {
    if (!names.includes(c.name)) return `TRY_CAST(${quoted(c.name.replace(/_value$/, ''))} AS DOUBLE) AS ${quoted(c.name)}`;
    return c.type === 'VARCHAR' ? `coalesce(${quoted(c.name)}, '') AS ${quoted(c.name)}` : quoted(c.name);
  });
  return {
    common: names.map(quoted).join(', '),
    source: `(SELECT ${select.join(', ')} FROM read_csv('${csv}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', columns = {${types}}))`,
  };
}

// Row by row, so an equal sum of wrong cells does not do.
async function sameAsCSV(parquet) {
  const { common, source } = await csvLike(parquet);
  const [[count]] = await rows(`SELECT count(*) FROM '${parquet}'`);
  const [[different]] = await rows(`
    WITH p AS (SELECT ${common} FROM '${parquet}'), c AS (SELECT ${common} FROM ${source})
    SELECT count(*) FROM ((FROM p EXCEPT ALL FROM c) UNION ALL (FROM c EXCEPT ALL FROM p))`);
  assert.equal(different, '0', `${parquet}: ${different} rows that are in one of the two files only`);
  return Number(count);
}

const tables = fs.readdirSync(out).filter((name) => name.endsWith('.parquet'));
for (const name of ['runs', 'summary', 'timeline']) assert.ok(tables.includes(`${name}.parquet`), `no ${name}.parquet`);
for (const csv of fs.readdirSync(out).filter((name) => name.endsWith('.csv'))) {
  assert.ok(tables.includes(csv.replace(/\.csv$/, '.parquet')), `${csv} has no Parquet file beside it`);
}
for (const name of tables) {
  const parquet = path.join(out, name);
  const count = await sameAsCSV(parquet);
  const lines = fs.readFileSync(parquet.replace(/\.parquet$/, '.csv'), 'utf8').split('\n').length - 2;
  assert.equal(count, lines, `${name}: rows`);
  console.log(`${name}: ${count} rows, equal to the CSV file's`);
}

// The summary's means, made again from the single runs; files have nine digits.
const [[points, off]] = await rows(`
  SELECT count(*), count(*) FILTER (WHERE abs(calls - total_calls_mean) > 1e-8 * calls)
  FROM '${out}/summary.parquet' JOIN (
    SELECT variant, "clients.count", avg(total_calls) AS calls FROM '${out}/runs.parquet' GROUP BY ALL
  ) USING (variant, "clients.count")`);
assert.deepEqual([points, off], ['15', '0'], 'means of runs.parquet against summary.parquet');

for (const sql of fs.readFileSync(statements, 'utf8').split('\n').filter((line) => line.endsWith(';'))) {
  const there = sql.replaceAll("'out/", `'${out}/`);
  let csv = there;
  for (const [file, parquet] of there.matchAll(/'([^']+\.parquet)'/g)) csv = csv.replaceAll(file, (await csvLike(parquet)).source);
  const got = await rows(there);
  console.log(`\n${sql}`);
  console.table(got.slice(0, 4));
  assert.ok(got.length > 0, 'no rows');
  assert.deepEqual(got, await rows(csv), 'other rows than from the CSV files');
}

const [[count, variants]] = await rows(`SELECT count(*), count(DISTINCT variant) FROM '${large}/runs.parquet'`);
assert.ok(Number(count) >= 100_000 && Number(variants) >= 1, `${large}: ${count} runs`);
assert.equal(await sameAsCSV(path.join(large, 'runs.parquet')), Number(count));
console.log(`${count} runs in one file, equal to the CSV file's`);
