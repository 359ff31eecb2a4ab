// Reads a workbook with a library that is not the one it was written with, and
// compares what it finds on the lists with what Cover and Checks say of them:
// rows by sheet, and count and minor units by class and currency. Exits 1 with
// the first differences.
const ExcelJS = require("exceljs");

const HEAD = 5; // row of the headers of a list
const problems = [];

// value is what a cell shows: the result of a formula, the text of a link.
function value(cell) {
  const v = cell.value;
  if (v === null || v === undefined) return "";
  if (v.formula !== undefined || v.sharedFormula !== undefined) return v.result ?? "";
  if (v.text !== undefined) return v.text;
  if (v.richText !== undefined) return v.richText.map((r) => r.text).join("");
  return v;
}

// items are the rows of a list by header; null if the sheet is no list.
function items(sheet) {
  const heads = [];
  sheet.getRow(HEAD).eachCell((cell, n) => (heads[n] = String(value(cell))));
  const item = heads.indexOf("Item");
  if (item < 0 || !heads.includes("Minor units")) return null;
  const rows = [];
  for (let n = HEAD + 1; n <= sheet.rowCount; n++) {
    const row = sheet.getRow(n);
    if (value(row.getCell(item)) === "") continue;
    const found = {};
    heads.forEach((head, i) => (found[head] = value(row.getCell(i))));
    rows.push(found);
  }
  return rows;
}

async function main(path) {
  const book = new ExcelJS.Workbook();
  await book.xlsx.readFile(path);
  const lists = {};
  book.eachSheet((sheet) => {
    const rows = items(sheet);
    if (rows !== null) lists[sheet.name] = rows;
  });
  const cover = book.getWorksheet("Cover");
  let sheets = 0;
  let contents = false; // a fact above them may be named like a sheet
  cover.eachRow((row) => {
    const name = String(value(row.getCell(1)));
    contents = contents || name === "Contents";
    const rows = lists[name];
    if (!contents || rows === undefined) return;
    sheets++;
    if (Number(value(row.getCell(3))) !== rows.length) {
      problems.push(`Cover says ${value(row.getCell(3))} rows on ${value(row.getCell(1))}, it has ${rows.length}`);
    }
  });
  let classes = 0;
  book.getWorksheet("Checks").eachRow((row) => {
    const [name, perRun, where, , population, , currency] = [1, 2, 3, 4, 5, 6, 7].map((n) => value(row.getCell(n)));
    const rows = lists[String(where)];
    if (rows === undefined || !["attempts", "entries", "outcomes"].includes(String(population))) return;
    classes++;
    const mine = rows.filter((r) => (r.Class ?? "matched") === name && (r.Population ?? "attempts") === population && (population === "outcomes" || r.Currency === currency));
    if (mine.length !== Number(perRun)) problems.push(`${where}: ${mine.length} rows of ${name} ${currency}, Checks says ${perRun}`);
    if (population !== "outcomes") {
      const minor = mine.reduce((sum, r) => sum + BigInt(r["Minor units"]), 0n);
      if (minor !== BigInt(value(row.getCell(10)))) problems.push(`${where}: ${minor} minor units of ${name} ${currency}, Checks says ${value(row.getCell(10))}`);
    }
  });
  book.eachSheet((sheet) => sheet.eachRow((row, n) => row.eachCell((cell) => {
    if (String(value(cell)) === "DIFFERS") problems.push(`${sheet.name}!${cell.address}: DIFFERS`);
  })));
  if (sheets < 12 || classes < 30) problems.push(`only ${sheets} lists and ${classes} classes found`);
  if (problems.length > 0) {
    console.error(problems.slice(0, 20).join("\n"));
    process.exit(1);
  }
  console.log(`${sheets} lists and ${classes} classes are as Cover and Checks say`);
}

main(process.argv[2]).catch((e) => {
  console.error(String(e.stack ?? e));
  process.exit(1);
});
