/** Creates minimal files of each type. */
import { crc32 } from 'node:zlib'
import CFB from 'cfb'

export const createPdf = (text = 'proof'): Buffer =>
  Buffer.from(
    `%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n% ${text}\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
  )
export const createPng = (): Buffer =>
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
export const createJpg = (): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
    Buffer.from('JFIF\0'),
    Buffer.alloc(9),
    Buffer.from([0xff, 0xd9]),
  ])
/** Creates a Windows program, which begins with "MZ". */
export const createExe = (): Buffer => Buffer.concat([Buffer.from('MZ'), Buffer.alloc(510)])

function createOle(streams: Readonly<Record<string, string>>): Buffer {
  const container = CFB.utils.cfb_new()
  for (const [name, content] of Object.entries(streams))
    CFB.utils.cfb_add(container, name, Buffer.from(content.padEnd(5000, '.')))
  return Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array)
}
/** Creates an old Word document: an OLE file with a stream called WordDocument. */
export const createDoc = (): Buffer => createOle({ '/WordDocument': 'text', '/1Table': 'table' })
/** Creates a Windows installer. It is an OLE file too; its tables are in streams with unusual names. */
export const createMsi = (): Buffer =>
  createOle({
    '/\u4840\u3f7f\u4164\u422f\u4836': 'tables',
    '/\u0005SummaryInformation': 'Installation Database',
  })
export const createXls = (): Buffer => createOle({ '/Workbook': 'cells' })

/** Creates a spreadsheet with an embedded Word document. */
export const createXlsWithDoc = (): Buffer =>
  createOle({ '/Workbook': 'cells', '/MBD0001/WordDocument': 'text' })

/**
 * Builds an OLE file whose directory has `sectors` sectors. `nextSector` returns the next sector of the chain;
 * `linkEntry` writes the links of an entry.
 */
export function createHostileDoc(
  sectors: number,
  nextSector: (sector: number) => number,
  linkEntry: (entry: Buffer, index: number) => void,
): Buffer {
  const tables = Math.ceil((sectors + 200) / 128)
  const file = Buffer.alloc(512 * (1 + tables + sectors))
  createDoc().copy(file, 0, 0, 76)
  file.writeUInt32LE(tables, 44)
  file.writeUInt32LE(tables, 48)
  file.fill(0xff, 76, 512)
  for (let table = 0; table < Math.min(tables, 109); table += 1)
    file.writeUInt32LE(table, 76 + table * 4)
  for (let sector = 0; sector < sectors; sector += 1)
    file.writeUInt32LE(nextSector(tables + sector), 512 + (tables + sector) * 4)
  for (let index = 0; index < sectors * 4; index += 1) {
    const entry = file.subarray(
      512 * (1 + tables) + index * 128,
      512 * (1 + tables) + index * 128 + 128,
    )
    entry.write('x', 0, 'utf16le')
    entry.writeUInt16LE(4, 64)
    entry.writeUInt8(index === 0 ? 5 : 1, 66)
    linkEntry(entry, index)
  }
  return file
}

/** Creates a zip file with uncompressed entries. */
function createZip(entries: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const centralHeaders: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(entries)) {
    const [file, content] = [Buffer.from(name), Buffer.from(text)]
    const commonHeader = Buffer.alloc(26)
    commonHeader.writeUInt16LE(20, 0)
    commonHeader.writeUInt32LE(crc32(content), 10)
    commonHeader.writeUInt32LE(content.length, 14)
    commonHeader.writeUInt32LE(content.length, 18)
    commonHeader.writeUInt16LE(file.length, 22)
    const localEntry = Buffer.concat([Buffer.from('PK\x03\x04'), commonHeader, file, content])
    const endRecord = Buffer.alloc(14)
    endRecord.writeUInt32LE(offset, 10)
    centralHeaders.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), commonHeader, endRecord, file]),
    )
    parts.push(localEntry)
    offset += localEntry.length
  }
  const directory = Buffer.concat(centralHeaders)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(centralHeaders.length, 8)
  end.writeUInt16LE(centralHeaders.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directory, end])
}
const buildContentTypes = (part: string, type: string): string =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="${part}" ContentType="${type}"/></Types>`
export const createDocx = (): Buffer =>
  createZip({
    '[Content_Types].xml': buildContentTypes(
      '/word/document.xml',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
    ),
    'word/document.xml': '<w:document/>',
  })
export const createXlsx = (): Buffer =>
  createZip({
    '[Content_Types].xml': buildContentTypes(
      '/xl/workbook.xml',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
    ),
    'xl/workbook.xml': '<workbook/>',
  })
export const createPlainZip = (): Buffer => createZip({ 'virus.exe': 'MZ' })
