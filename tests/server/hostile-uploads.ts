/** Hostile uploads: cycles, false sizes, and small files that inflate to large ones. */
import { deflateRawSync } from 'node:zlib'
import { createDoc, createHostileDoc, createPng } from './sample-uploads.ts'

const NO_ENTRY = 0xffffffff
const END_OF_CHAIN = 0xfffffffe
const BOMB_BYTES = 50 * 1024 * 1024
/** The size limit for an uploaded document in the sample event. */
const PROOF_BYTES = 5 * 1024 * 1024
const CONTENT_TYPES = '[Content_Types].xml'

/**
 * Sets every entry's left, right and child links. The first entry has the second as its child.
 */
export const linkEntries =
  (left: (index: number) => number, right: (index: number) => number) =>
  (entry: Buffer, index: number): void => {
    entry.writeUInt32LE(index === 0 ? NO_ENTRY : left(index), 68)
    entry.writeUInt32LE(index === 0 ? NO_ENTRY : right(index), 72)
    entry.writeUInt32LE(index === 0 ? 1 : NO_ENTRY, 76)
  }
const getNoIndex = (): number => NO_ENTRY

/** Builds a directory of entries. The last entry is the stream of a Word document. */
export function createEntryList(sectors: number): Buffer {
  const tables = Math.ceil((sectors + 200) / 128)
  const last = sectors * 4 - 1
  return createHostileDoc(
    sectors,
    (sector) => (sector === tables + sectors - 1 ? END_OF_CHAIN : sector + 1),
    (entry, index) => {
      linkEntries(getNoIndex, (position) => (position < last ? position + 1 : NO_ENTRY))(
        entry,
        index,
      )
      if (index !== last) return
      entry.write('WordDocument', 0, 'utf16le')
      entry.writeUInt16LE(26, 64)
      entry.writeUInt8(2, 66)
    },
  )
}

/** Builds a document with changed 4-byte values in its header. */
function createWithHeader(changes: readonly (readonly [offset: number, value: number])[]): Buffer {
  const file = Buffer.from(createDoc())
  for (const [offset, value] of changes) file.writeUInt32LE(value, offset)
  return file
}

/**
 * Creates a file whose directory is so far from the start of the file that its table is in the chain of additional
 * tables, and makes that chain a cycle.
 */
function createCircularTables(): Buffer {
  const directorySector = 14_000
  const file = Buffer.alloc(512 * (directorySector + 2))
  createDoc().copy(file, 0, 0, 76)
  file.writeUInt32LE(directorySector, 48)
  file.writeUInt32LE(1, 68)
  file.writeUInt32LE(0xffff, 72)
  // Sector 1 contains only its own number, both as the next sector of the chain and as every table.
  for (let offset = 1024; offset < 1536; offset += 4) file.writeUInt32LE(1, offset)
  return file
}

type Entry = {
  readonly name: string
  readonly content: Buffer
  readonly method: 0 | 8
  /** The declared size. Null if the size is written after the content. */
  readonly declaredSize?: number | null
}
/** Builds the entries of a zip file without its central directory, which type detection does not read. */
function createZipEntries(entries: readonly Entry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ name, content, method, declaredSize = content.length }) => {
      const localHeader = Buffer.alloc(30)
      localHeader.write('PK\x03\x04', 'latin1')
      localHeader.writeUInt16LE(20, 4)
      localHeader.writeUInt16LE(declaredSize === null ? 8 : 0, 6)
      localHeader.writeUInt16LE(method, 8)
      localHeader.writeUInt32LE(declaredSize ?? 0, 18)
      localHeader.writeUInt32LE(declaredSize === null ? 0 : 1000, 22)
      localHeader.writeUInt16LE(name.length, 26)
      const dataDescriptor = Buffer.alloc(declaredSize === null ? 16 : 0)
      if (declaredSize === null) dataDescriptor.write('PK\x07\x08', 'latin1')
      return [localHeader, Buffer.from(name), content, dataDescriptor]
    }),
  )
}
const createContentTypes = (xml: string): Buffer =>
  createZipEntries([{ name: CONTENT_TYPES, content: Buffer.from(xml), method: 0 }])

/** The description, name and content of each file. No file's content has the type that its extension indicates. */
export const hostileFiles: readonly (readonly [
  description: string,
  name: string,
  bytes: Buffer,
])[] = createHostileFiles()
function createHostileFiles(): typeof hostileFiles {
  const textChunk = Buffer.alloc(12)
  textChunk.write('tEXt', 4, 'latin1')
  const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024))
  return [
    [
      'a directory chain that points to itself',
      'a.doc',
      createHostileDoc(13, (sector) => sector, linkEntries(getNoIndex, getNoIndex)),
    ],
    [
      'a directory chain whose last sector points to its first',
      'a.doc',
      createHostileDoc(
        13,
        (sector) => (sector % 5 === 0 ? sector - 4 : sector + 1),
        linkEntries(getNoIndex, getNoIndex),
      ),
    ],
    [
      'an entry that is its own neighbour',
      'a.doc',
      createHostileDoc(
        1,
        () => END_OF_CHAIN,
        linkEntries(
          (index) => index,
          (index) => index,
        ),
      ),
    ],
    [
      'two entries that are each other’s neighbours',
      'a.doc',
      createHostileDoc(
        1,
        () => END_OF_CHAIN,
        linkEntries(
          (index) => 3 - index,
          (index) => 3 - index,
        ),
      ),
    ],
    [
      'a sector table outside the file',
      'a.doc',
      createHostileDoc(13, () => 0xfffffff0, linkEntries(getNoIndex, getNoIndex)),
    ],
    ['a directory of 5 MB', 'a.doc', createEntryList(9900)],
    ['a cyclic chain of additional tables', 'a.doc', createCircularTables()],
    ['a directory outside the file', 'a.doc', createWithHeader([[48, 0x00ff_ffff]])],
    ['no directory', 'a.doc', createWithHeader([[48, END_OF_CHAIN]])],
    ['an invalid sector size', 'a.doc', createWithHeader([[30, 0x001f_001f]])],
    [
      'a mini stream of four gigabytes in one sector that points to itself',
      'a.doc',
      createHostileDoc(
        2,
        (sector) => sector,
        (entry, index) => {
          linkEntries(getNoIndex, getNoIndex)(entry, index)
          entry.writeUInt32LE(0, 116)
          entry.writeUInt32LE(NO_ENTRY, 120)
        },
      ),
    ],
    ['only a header', 'a.doc', createDoc().subarray(0, 512)],
    ['half a header', 'a.doc', createDoc().subarray(0, 100)],
    [
      'a 50 kB list of types that inflates to 50 MB',
      'a.docx',
      createZipEntries([
        { name: CONTENT_TYPES, content: deflateRawSync(Buffer.alloc(BOMB_BYTES)), method: 8 },
      ]),
    ],
    [
      'a thousand entries that each inflate to a megabyte',
      'a.docx',
      createZipEntries(
        Array.from({ length: 1000 }, () => ({
          name: 'mimetype',
          content: megabyte,
          method: 8,
        })),
      ),
    ],
    [
      'a hundred thousand empty entries',
      'a.docx',
      createZipEntries(
        Array.from({ length: 100_000 }, (_, index) => ({
          name: `a${index}`,
          content: Buffer.alloc(0),
          method: 0,
        })),
      ),
    ],
    [
      'an entry that claims four gigabytes',
      'a.docx',
      createZipEntries([
        { name: CONTENT_TYPES, content: Buffer.alloc(10), method: 8, declaredSize: 0xfffffff0 },
      ]),
    ],
    [
      'an entry whose size should follow its content, which never ends',
      'a.docx',
      createZipEntries([
        {
          name: CONTENT_TYPES,
          content: Buffer.alloc(PROOF_BYTES, 'P'),
          method: 8,
          declaredSize: null,
        },
      ]).subarray(0, PROOF_BYTES),
    ],
    [
      'entities that expand each other',
      'a.docx',
      createContentTypes(
        `<!DOCTYPE a [<!ENTITY a "aa">${Array.from({ length: 30 }, (_, index) => `<!ENTITY a${index} "&a${index - 1};&a${index - 1};">`).join('')}]><Types>&a29;</Types>`,
      ),
    ],
    ['deeply nested tags', 'a.docx', createContentTypes('<Override ContentType="'.repeat(45_000))],
    [
      'an image with four hundred thousand text chunks',
      'a.pdf',
      Buffer.concat([
        createPng().subarray(0, 33),
        ...Array.from({ length: 400_000 }, () => textChunk),
      ]),
    ],
  ]
}
