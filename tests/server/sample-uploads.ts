/** Files as their programs write them, as small as they can be, and some that only pretend. */
import { crc32 } from 'node:zlib'
import CFB from 'cfb'

export const pdf = (text = 'proof'): Buffer =>
  Buffer.from(
    `%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n% ${text}\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
  )
export const png = (): Buffer =>
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
export const jpg = (): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
    Buffer.from('JFIF\0'),
    Buffer.alloc(9),
    Buffer.from([0xff, 0xd9]),
  ])
/** A Windows program: "MZ". */
export const exe = (): Buffer => Buffer.concat([Buffer.from('MZ'), Buffer.alloc(510)])

function ole(streams: Readonly<Record<string, string>>): Buffer {
  const container = CFB.utils.cfb_new()
  for (const [name, content] of Object.entries(streams))
    CFB.utils.cfb_add(container, name, Buffer.from(content.padEnd(5000, '.')))
  return Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array)
}
/** An old Word document: an OLE file with a stream called WordDocument. */
export const doc = (): Buffer => ole({ '/WordDocument': 'text', '/1Table': 'table' })
/** A Windows installer: an OLE file too, with its tables in streams of odd names. */
export const msi = (): Buffer =>
  ole({
    '/\u4840\u3f7f\u4164\u422f\u4836': 'tables',
    '/\u0005SummaryInformation': 'Installation Database',
  })
export const xls = (): Buffer => ole({ '/Workbook': 'cells' })

/** A sheet with a Word document inside one of its objects. */
export const xlsWithDoc = (): Buffer =>
  ole({ '/Workbook': 'cells', '/MBD0001/WordDocument': 'text' })

/** An OLE file whose directory is `sectors` long, each followed by what `follows` says, its entries linked as `link` says. */
export function hostileDoc(
  sectors: number,
  follows: (sector: number) => number,
  link: (entry: Buffer, index: number) => void,
): Buffer {
  const tables = Math.ceil((sectors + 200) / 128)
  const file = Buffer.alloc(512 * (1 + tables + sectors))
  doc().copy(file, 0, 0, 76)
  file.writeUInt32LE(tables, 44)
  file.writeUInt32LE(tables, 48)
  file.fill(0xff, 76, 512)
  for (let table = 0; table < Math.min(tables, 109); table += 1)
    file.writeUInt32LE(table, 76 + table * 4)
  for (let sector = 0; sector < sectors; sector += 1)
    file.writeUInt32LE(follows(tables + sector), 512 + (tables + sector) * 4)
  for (let index = 0; index < sectors * 4; index += 1) {
    const entry = file.subarray(
      512 * (1 + tables) + index * 128,
      512 * (1 + tables) + index * 128 + 128,
    )
    entry.write('x', 0, 'utf16le')
    entry.writeUInt16LE(4, 64)
    entry.writeUInt8(index === 0 ? 5 : 1, 66)
    link(entry, index)
  }
  return file
}

/** A zip with its entries stored as they are. */
function zip(entries: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(entries)) {
    const [file, content] = [Buffer.from(name), Buffer.from(text)]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(file.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, file, content])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, file]))
    parts.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(central.length, 8)
  end.writeUInt16LE(central.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directory, end])
}
const typesOf = (part: string, type: string): string =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="${part}" ContentType="${type}"/></Types>`
export const docx = (): Buffer =>
  zip({
    '[Content_Types].xml': typesOf(
      '/word/document.xml',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
    ),
    'word/document.xml': '<w:document/>',
  })
export const xlsx = (): Buffer =>
  zip({
    '[Content_Types].xml': typesOf(
      '/xl/workbook.xml',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
    ),
    'xl/workbook.xml': '<workbook/>',
  })
export const plainZip = (): Buffer => zip({ 'virus.exe': 'MZ' })
