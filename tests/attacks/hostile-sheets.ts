/** Excel and CSV files made to exhaust whoever reads them; each is at most 2 MB, as much as the office takes. */
import { constants, deflateRawSync } from 'node:zlib'

const MB = 1024 * 1024

type Entry = {
  readonly name: string
  /** Deflated. */
  readonly data: Buffer
  /** What the archive says that it inflates to. */
  readonly stated: number
}

/** A zip byte by byte, because no library writes what is not true. `shared`: every entry points at the data of the first. */
function zipOf(entries: readonly Entry[], shared = false): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [index, { name, data, stated }] of entries.entries()) {
    const named = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(stated, 18)
    common.writeUInt16LE(named.length, 22)
    const offset = shared && index > 0 ? 0 : at
    if (offset === at) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, named, data])
      pieces.push(local)
      at += local.length
    }
    const rest = Buffer.alloc(16)
    rest.writeUInt32LE(offset, 12)
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02', 'latin1'),
        Buffer.from([20, 0]),
        common.subarray(0, 24),
        rest,
        named,
      ]),
    )
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...pieces, listed, end])
}

const entry = (name: string, text: string, stated = Buffer.byteLength(text)): Entry => ({
  name,
  data: deflateRawSync(text),
  stated,
})

/** A megabyte of a short text, as often as that: made in a moment, because deflated blocks may be repeated. */
function repeated(head: string, text: string, megabytes: number): Pick<Entry, 'data' | 'stated'> {
  const flush = { finishFlush: constants.Z_FULL_FLUSH, level: 9 }
  const times = Math.floor(MB / Buffer.byteLength(text))
  const block = deflateRawSync(text.repeat(times), flush)
  return {
    data: Buffer.concat([
      deflateRawSync(head, flush),
      ...Array.from({ length: megabytes }, () => block),
      deflateRawSync(''),
    ]),
    stated: Buffer.byteLength(head) + Buffer.byteLength(text) * times * megabytes,
  }
}

const RELS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const BOOK: readonly Entry[] = [
  entry(
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${RELS}"><workbookPr/><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ),
  entry(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  ),
]
const SHEET = 'xl/worksheets/sheet1.xml'
const HEAD = `<worksheet xmlns="${MAIN}"><sheetData><row r="1">`
const CELL = '<c r="A1"><v>1</v></c>'

const bomb = (megabytes: number, text = CELL): Pick<Entry, 'data' | 'stated'> =>
  repeated(HEAD, text, megabytes)

/** What that many megabytes of cells unpack from. */
export const cellsOfMegabytes = (megabytes: number): Buffer =>
  zipOf([...BOOK, { name: SHEET, ...bomb(megabytes) }])

/** As a bank writes it, for the negative control: what refuses the others must take this one. */
export const honestXlsx = (): Buffer =>
  zipOf([...BOOK, entry(SHEET, `${HEAD}<c r="A1"><v>1</v></c></row></sheetData></worksheet>`)])

export const XLSX_ATTACKS: readonly (readonly [what: string, file: () => Buffer])[] = [
  ['that unpacks to 700 MB of cells', () => cellsOfMegabytes(700)],
  [
    'that unpacks to 700 MB and says that it is 1 KB',
    () => zipOf([...BOOK, { name: SHEET, ...bomb(700), stated: 1024 }]),
  ],
  [
    'that unpacks to 700 MB and says that it is 49 MB',
    () => zipOf([...BOOK, { name: SHEET, ...bomb(700), stated: 49 * MB }]),
  ],
  [
    'whose 2,000 entries are one entry of 10 MB',
    () => {
      const one = bomb(10)
      return zipOf(
        Array.from({ length: 2_000 }, (_, n) => ({ name: `xl/${n}.xml`, ...one })),
        true,
      )
    },
  ],
  ['that unpacks to 49 MB of cells', () => cellsOfMegabytes(49)],
  ['that unpacks to 49 MB of spaces', () => zipOf([...BOOK, { name: SHEET, ...bomb(49, ' ') }])],
  [
    'with a text of 49 MB in another script',
    () =>
      zipOf([
        ...BOOK,
        entry(SHEET, `${HEAD}<c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>`),
        { name: 'xl/sharedStrings.xml', ...repeated(`<sst xmlns="${MAIN}"><si><t>`, 'ആ', 48) },
      ]),
  ],
  [
    'with one cell in the last row and column',
    () =>
      zipOf([
        ...BOOK,
        entry(
          SHEET,
          `<worksheet xmlns="${MAIN}"><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>`,
        ),
      ]),
  ],
  [
    'whose every row ends in the last column',
    () => {
      const rows = Array.from(
        { length: 5_000 },
        (_, n) => `<row r="${n + 1}"><c r="XFD${n + 1}"><v>1</v></c></row>`,
      )
      return zipOf([
        ...BOOK,
        entry(
          SHEET,
          `<worksheet xmlns="${MAIN}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
        ),
      ])
    },
  ],
  [
    'with 40 MB of styles',
    () =>
      zipOf([
        ...BOOK,
        entry(SHEET, `${HEAD}<c r="A1" s="0"><v>1</v></c></row></sheetData></worksheet>`),
        {
          name: 'xl/styles.xml',
          ...repeated(`<styleSheet xmlns="${MAIN}"><cellXfs>`, '<xf numFmtId="14"/>', 40),
        },
      ]),
  ],
  ['that is cut in half', () => cellsOfMegabytes(49).subarray(0, 9_000)],
]

/** As a bank writes it, but for its texts: each line is another one. */
const statementOf = (lines: number, text: (n: number) => string): Buffer =>
  Buffer.from(
    `Date,Narration,Ref No,Debit,Credit\n${Array.from(
      { length: lines },
      (_, n) => `09/01/27,${text(2 * n)},${text(2 * n + 1)},,1.00\n`,
    ).join('')}`,
  )
/** Numbers of so many digits until the text is as long as what is read of it; no row of them comes twice. */
const numbers = (digits: number) => {
  let last = 1
  const next = (): string => {
    last = (last * 48_271) % 2_147_483_647
    return String(last % 10 ** digits).padStart(digits, '1')
  }
  return (): string => Array.from({ length: Math.floor(300 / (digits + 1)) }, next).join(' ')
}

export const CSV_ATTACKS: readonly (readonly [what: string, file: () => Buffer])[] = [
  ['of two million commas', () => Buffer.alloc(2 * MB, ',')],
  ['of two million line breaks', () => Buffer.alloc(2 * MB, '\n')],
  ['of two million quotes', () => Buffer.alloc(2 * MB, '"')],
  ['of one quote that never ends', () => Buffer.from(`"${'a,\n'.repeat(690_000)}`)],
  ['of half a million lines', () => Buffer.from('a,b\n'.repeat(500_000))],
  ['of one word of 2 MB', () => Buffer.alloc(2 * MB, 'a')],
  ['of letters that are none', () => Buffer.alloc(2 * MB, 0xff)],
  [
    'whose lines all have another number of cells',
    () =>
      Buffer.from(Array.from({ length: 5_000 }, (_, n) => `a${',a'.repeat(n % 59)}\n`).join('')),
  ],
  [
    'that is a statement of short numbers, each of which may be a group of another',
    () => statementOf(3_300, numbers(2)),
  ],
  [
    'that is a statement with the same short numbers in every line',
    () => statementOf(3_300, (n) => `${n} ${'12 34 56 '.repeat(32)}`),
  ],
  ['that is a statement of half a million numbers', () => statementOf(3_300, numbers(6))],
  ['of 5,000 lines with 60 cells each', () => Buffer.from(`${'ab,'.repeat(59)}ab\n`.repeat(5_000))],
]
