/** Excel and CSV files of at most 2 MB (the office's upload limit) that try to exhaust their readers. */
import { constants, deflateRawSync } from 'node:zlib'

const MB = 1024 * 1024

type ZipEntry = {
  readonly name: string
  /** Compressed bytes. */
  readonly data: Buffer
  /** The uncompressed size that the archive declares. */
  readonly declaredSize: number
}

/**
 * Builds a zip archive byte by byte, because libraries do not write false sizes. If `isDataShared` is true, every
 * entry points to the data of the first one.
 */
function buildZip(entries: readonly ZipEntry[], isDataShared = false): Buffer {
  const localParts: Buffer[] = []
  const directoryParts: Buffer[] = []
  let position = 0
  for (const [index, { name, data, declaredSize }] of entries.entries()) {
    const nameBytes = Buffer.from(name)
    const commonHeader = Buffer.alloc(26)
    commonHeader.writeUInt16LE(20, 0)
    commonHeader.writeUInt16LE(8, 4)
    commonHeader.writeUInt32LE(data.length, 14)
    commonHeader.writeUInt32LE(declaredSize, 18)
    commonHeader.writeUInt16LE(nameBytes.length, 22)
    const offset = isDataShared && index > 0 ? 0 : position
    if (offset === position) {
      const localHeader = Buffer.concat([
        Buffer.from('PK\x03\x04', 'latin1'),
        commonHeader,
        nameBytes,
        data,
      ])
      localParts.push(localHeader)
      position += localHeader.length
    }
    const directoryTail = Buffer.alloc(16)
    directoryTail.writeUInt32LE(offset, 12)
    directoryParts.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02', 'latin1'),
        Buffer.from([20, 0]),
        commonHeader.subarray(0, 24),
        directoryTail,
        nameBytes,
      ]),
    )
  }
  const directoryBytes = Buffer.concat(directoryParts)
  const endRecord = Buffer.alloc(22)
  endRecord.write('PK\x05\x06', 0, 'latin1')
  endRecord.writeUInt16LE(entries.length, 8)
  endRecord.writeUInt16LE(entries.length, 10)
  endRecord.writeUInt32LE(directoryBytes.length, 12)
  endRecord.writeUInt32LE(position, 16)
  return Buffer.concat([...localParts, directoryBytes, endRecord])
}

const createEntry = (name: string, text: string): ZipEntry => ({
  name,
  data: deflateRawSync(text),
  declaredSize: Buffer.byteLength(text),
})

/** Compresses a text repeated to this many megabytes. This is fast, because a compressed block can be repeated. */
function buildRepeatedText(
  head: string,
  text: string,
  megabytes: number,
): Pick<ZipEntry, 'data' | 'declaredSize'> {
  const flushOptions = { finishFlush: constants.Z_FULL_FLUSH, level: 9 }
  const times = Math.floor(MB / Buffer.byteLength(text))
  const block = deflateRawSync(text.repeat(times), flushOptions)
  return {
    data: Buffer.concat([
      deflateRawSync(head, flushOptions),
      ...Array.from({ length: megabytes }, () => block),
      deflateRawSync(''),
    ]),
    declaredSize: Buffer.byteLength(head) + Buffer.byteLength(text) * times * megabytes,
  }
}

const RELATIONSHIPS_URI = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const SPREADSHEET_URI = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const WORKBOOK_ENTRIES: readonly ZipEntry[] = [
  createEntry(
    'xl/workbook.xml',
    `<workbook xmlns="${SPREADSHEET_URI}" xmlns:r="${RELATIONSHIPS_URI}"><workbookPr/><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ),
  createEntry(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS_URI}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONSHIPS_URI}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  ),
]
const SHEET_PATH = 'xl/worksheets/sheet1.xml'
const SHEET_HEAD = `<worksheet xmlns="${SPREADSHEET_URI}"><sheetData><row r="1">`
const CELL = '<c r="A1"><v>1</v></c>'

const buildBomb = (megabytes: number, text = CELL): Pick<ZipEntry, 'data' | 'declaredSize'> =>
  buildRepeatedText(SHEET_HEAD, text, megabytes)

/** Builds a file that unpacks to this many megabytes of cells. */
export const buildCells = (megabytes: number): Buffer =>
  buildZip([...WORKBOOK_ENTRIES, { name: SHEET_PATH, ...buildBomb(megabytes) }])

/** Builds a valid bank statement, which must be accepted, as a negative control. */
export const buildValidXlsx = (): Buffer =>
  buildZip([
    ...WORKBOOK_ENTRIES,
    createEntry(SHEET_PATH, `${SHEET_HEAD}<c r="A1"><v>1</v></c></row></sheetData></worksheet>`),
  ])

export const XLSX_ATTACKS: readonly (readonly [label: string, file: () => Buffer])[] = [
  ['that unpacks to 700 MB of cells', () => buildCells(700)],
  [
    'that unpacks to 700 MB and declares 1 KB',
    () =>
      buildZip([...WORKBOOK_ENTRIES, { name: SHEET_PATH, ...buildBomb(700), declaredSize: 1024 }]),
  ],
  [
    'that unpacks to 700 MB and declares 49 MB',
    () =>
      buildZip([
        ...WORKBOOK_ENTRIES,
        { name: SHEET_PATH, ...buildBomb(700), declaredSize: 49 * MB },
      ]),
  ],
  [
    'whose 2,000 entries share the same 10 MB of data',
    () => {
      const sharedEntry = buildBomb(10)
      return buildZip(
        Array.from({ length: 2_000 }, (_, n) => ({ name: `xl/${n}.xml`, ...sharedEntry })),
        true,
      )
    },
  ],
  ['that unpacks to 49 MB of cells', () => buildCells(49)],
  [
    'that unpacks to 49 MB of spaces',
    () => buildZip([...WORKBOOK_ENTRIES, { name: SHEET_PATH, ...buildBomb(49, ' ') }]),
  ],
  [
    'with a text of 49 MB in another script',
    () =>
      buildZip([
        ...WORKBOOK_ENTRIES,
        createEntry(
          SHEET_PATH,
          `${SHEET_HEAD}<c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>`,
        ),
        {
          name: 'xl/sharedStrings.xml',
          ...buildRepeatedText(`<sst xmlns="${SPREADSHEET_URI}"><si><t>`, 'ആ', 48),
        },
      ]),
  ],
  [
    'with one cell in the last row and column',
    () =>
      buildZip([
        ...WORKBOOK_ENTRIES,
        createEntry(
          SHEET_PATH,
          `<worksheet xmlns="${SPREADSHEET_URI}"><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>`,
        ),
      ]),
  ],
  [
    'in which every row ends in the last column',
    () => {
      const rows = Array.from(
        { length: 5_000 },
        (_, n) => `<row r="${n + 1}"><c r="XFD${n + 1}"><v>1</v></c></row>`,
      )
      return buildZip([
        ...WORKBOOK_ENTRIES,
        createEntry(
          SHEET_PATH,
          `<worksheet xmlns="${SPREADSHEET_URI}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
        ),
      ])
    },
  ],
  [
    'with 40 MB of styles',
    () =>
      buildZip([
        ...WORKBOOK_ENTRIES,
        createEntry(
          SHEET_PATH,
          `${SHEET_HEAD}<c r="A1" s="0"><v>1</v></c></row></sheetData></worksheet>`,
        ),
        {
          name: 'xl/styles.xml',
          ...buildRepeatedText(
            `<styleSheet xmlns="${SPREADSHEET_URI}"><cellXfs>`,
            '<xf numFmtId="14"/>',
            40,
          ),
        },
      ]),
  ],
  ['that is truncated', () => buildCells(49).subarray(0, 9_000)],
]

/** Builds a bank statement in which every line has a different text. */
const buildStatement = (lineCount: number, text: (n: number) => string): Buffer =>
  Buffer.from(
    `Date,Narration,Ref No,Debit,Credit\n${Array.from(
      { length: lineCount },
      (_, n) => `09/01/27,${text(2 * n)},${text(2 * n + 1)},,1.00\n`,
    ).join('')}`,
  )
/** Returns a function that builds texts of about 300 characters, each containing new numbers with this many digits. */
const createNumberTextBuilder = (digitCount: number) => {
  let lastNumber = 1
  const createNumber = (): string => {
    lastNumber = (lastNumber * 48_271) % 2_147_483_647
    return String(lastNumber % 10 ** digitCount).padStart(digitCount, '1')
  }
  return (): string =>
    Array.from({ length: Math.floor(300 / (digitCount + 1)) }, createNumber).join(' ')
}

export const CSV_ATTACKS: readonly (readonly [label: string, file: () => Buffer])[] = [
  ['of two million commas', () => Buffer.alloc(2 * MB, ',')],
  ['of two million line breaks', () => Buffer.alloc(2 * MB, '\n')],
  ['of two million quotes', () => Buffer.alloc(2 * MB, '"')],
  ['of one unclosed quote', () => Buffer.from(`"${'a,\n'.repeat(690_000)}`)],
  ['of half a million lines', () => Buffer.from('a,b\n'.repeat(500_000))],
  ['of one word of 2 MB', () => Buffer.alloc(2 * MB, 'a')],
  ['of invalid characters', () => Buffer.alloc(2 * MB, 0xff)],
  [
    'whose lines have varying numbers of cells',
    () =>
      Buffer.from(Array.from({ length: 5_000 }, (_, n) => `a${',a'.repeat(n % 59)}\n`).join('')),
  ],
  [
    'that is a statement with short numbers, each of which may be part of another',
    () => buildStatement(3_300, createNumberTextBuilder(2)),
  ],
  [
    'that is a statement with the same short numbers in every line',
    () => buildStatement(3_300, (n) => `${n} ${'12 34 56 '.repeat(32)}`),
  ],
  [
    'that is a statement of 277,200 numbers',
    () => buildStatement(3_300, createNumberTextBuilder(6)),
  ],
  ['of 5,000 lines with 60 cells each', () => Buffer.from(`${'ab,'.repeat(59)}ab\n`.repeat(5_000))],
]
