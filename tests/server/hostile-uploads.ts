/** Proofs made to stop whoever looks into them: circles, lies about sizes, and little that becomes much. */
import { deflateRawSync } from 'node:zlib'
import { doc, hostileDoc, png } from './sample-uploads.ts'

const NONE = 0xffffffff
const END = 0xfffffffe
const BOMB_BYTES = 50 * 1024 * 1024
/** What the sample event's proof may have. */
const PROOF_BYTES = 5 * 1024 * 1024
const CONTENT_TYPES = '[Content_Types].xml'

/** Left, right and child of every entry but the first, which has the second for a child. */
export const linked =
  (left: (index: number) => number, right: (index: number) => number) =>
  (entry: Buffer, index: number): void => {
    entry.writeUInt32LE(index === 0 ? NONE : left(index), 68)
    entry.writeUInt32LE(index === 0 ? NONE : right(index), 72)
    entry.writeUInt32LE(index === 0 ? 1 : NONE, 76)
  }
const none = (): number => NONE

/** A list of entries of which the last is the stream that a Word document has. */
export function listed(sectors: number): Buffer {
  const tables = Math.ceil((sectors + 200) / 128)
  const last = sectors * 4 - 1
  return hostileDoc(
    sectors,
    (sector) => (sector === tables + sectors - 1 ? END : sector + 1),
    (entry, index) => {
      linked(none, (at) => (at < last ? at + 1 : NONE))(entry, index)
      if (index !== last) return
      entry.write('WordDocument', 0, 'utf16le')
      entry.writeUInt16LE(26, 64)
      entry.writeUInt8(2, 66)
    },
  )
}

/** A document with four bytes of its header changed. */
function withHeader(changes: readonly (readonly [at: number, value: number])[]): Buffer {
  const file = Buffer.from(doc())
  for (const [at, value] of changes) file.writeUInt32LE(value, at)
  return file
}

/** The directory lies so far out that its table is named in the chain of further tables, which leads back to itself. */
function circlingFurtherTables(): Buffer {
  const directory = 14_000
  const file = Buffer.alloc(512 * (directory + 2))
  doc().copy(file, 0, 0, 76)
  file.writeUInt32LE(directory, 48)
  file.writeUInt32LE(1, 68)
  file.writeUInt32LE(0xffff, 72)
  // Sector 1 is full of numbers of itself: the next sector of the chain, and every table of it.
  for (let at = 1024; at < 1536; at += 4) file.writeUInt32LE(1, at)
  return file
}

type Entry = {
  readonly name: string
  readonly content: Buffer
  readonly method: 0 | 8
  /** The size that is claimed; null: said after the content. */
  readonly claims?: number | null
}
/** A zip's entries without the directory at its end, which nobody who looks at the front of a file needs. */
function entries(list: readonly Entry[]): Buffer {
  return Buffer.concat(
    list.flatMap(({ name, content, method, claims = content.length }) => {
      const head = Buffer.alloc(30)
      head.write('PK\x03\x04', 'latin1')
      head.writeUInt16LE(20, 4)
      head.writeUInt16LE(claims === null ? 8 : 0, 6)
      head.writeUInt16LE(method, 8)
      head.writeUInt32LE(claims ?? 0, 18)
      head.writeUInt32LE(claims === null ? 0 : 1000, 22)
      head.writeUInt16LE(name.length, 26)
      const tail = Buffer.alloc(claims === null ? 16 : 0)
      if (claims === null) tail.write('PK\x07\x08', 'latin1')
      return [head, Buffer.from(name), content, tail]
    }),
  )
}
const typesOf = (xml: string): Buffer =>
  entries([{ name: CONTENT_TYPES, content: Buffer.from(xml), method: 0 }])

/** Each by what it is, with the name under which it is sent; none is what its name says. */
export const hostileFiles: readonly (readonly [what: string, name: string, bytes: Buffer])[] =
  make()
function make(): typeof hostileFiles {
  const chunk = Buffer.alloc(12)
  chunk.write('tEXt', 4, 'latin1')
  return [
    [
      'a directory that follows itself',
      'a.doc',
      hostileDoc(13, (sector) => sector, linked(none, none)),
    ],
    [
      'a directory whose last part leads back to its first',
      'a.doc',
      hostileDoc(13, (sector) => (sector % 5 === 0 ? sector - 4 : sector + 1), linked(none, none)),
    ],
    [
      'an entry that is its own neighbour',
      'a.doc',
      hostileDoc(
        1,
        () => END,
        linked(
          (index) => index,
          (index) => index,
        ),
      ),
    ],
    [
      'two entries that are each other’s neighbours',
      'a.doc',
      hostileDoc(
        1,
        () => END,
        linked(
          (index) => 3 - index,
          (index) => 3 - index,
        ),
      ),
    ],
    [
      'a table that lies outside the file',
      'a.doc',
      hostileDoc(13, () => 0xfffffff0, linked(none, none)),
    ],
    ['a directory of 5 MB', 'a.doc', listed(9900)],
    ['a chain of further tables that leads back to itself', 'a.doc', circlingFurtherTables()],
    ['a directory outside the file', 'a.doc', withHeader([[48, 0x00ff_ffff]])],
    ['no directory', 'a.doc', withHeader([[48, END]])],
    ['an unheard-of size of sectors', 'a.doc', withHeader([[30, 0x001f_001f]])],
    [
      'a mini stream of four gigabytes, all of it in one sector that follows itself',
      'a.doc',
      hostileDoc(
        2,
        (sector) => sector,
        (entry, index) => {
          linked(none, none)(entry, index)
          entry.writeUInt32LE(0, 116)
          entry.writeUInt32LE(NONE, 120)
        },
      ),
    ],
    ['a header alone', 'a.doc', doc().subarray(0, 512)],
    ['half a header', 'a.doc', doc().subarray(0, 100)],
    [
      'a list of types of 50 kB that inflates to 50 MB',
      'a.docx',
      entries([
        { name: CONTENT_TYPES, content: deflateRawSync(Buffer.alloc(BOMB_BYTES)), method: 8 },
      ]),
    ],
    [
      'a thousand entries that each inflate to a megabyte',
      'a.docx',
      entries(
        Array.from({ length: 1000 }, () => ({
          name: 'mimetype',
          content: deflateRawSync(Buffer.alloc(1024 * 1024)),
          method: 8,
        })),
      ),
    ],
    [
      'a hundred thousand empty entries',
      'a.docx',
      entries(
        Array.from({ length: 100_000 }, (_, at) => ({
          name: `a${at}`,
          content: Buffer.alloc(0),
          method: 0,
        })),
      ),
    ],
    [
      'an entry of four gigabytes, as it says',
      'a.docx',
      entries([{ name: CONTENT_TYPES, content: Buffer.alloc(10), method: 8, claims: 0xfffffff0 }]),
    ],
    [
      'an entry whose size is said at its end, which never comes',
      'a.docx',
      entries([
        { name: CONTENT_TYPES, content: Buffer.alloc(PROOF_BYTES, 'P'), method: 8, claims: null },
      ]).subarray(0, PROOF_BYTES),
    ],
    [
      'entities that stand for each other',
      'a.docx',
      typesOf(
        `<!DOCTYPE a [<!ENTITY a "aa">${Array.from({ length: 30 }, (_, at) => `<!ENTITY a${at} "&a${at - 1};&a${at - 1};">`).join('')}]><Types>&a29;</Types>`,
      ),
    ],
    [
      'a million tags within each other',
      'a.docx',
      typesOf('<Override ContentType="'.repeat(45_000)),
    ],
    [
      'a picture of four hundred thousand texts',
      'a.pdf',
      Buffer.concat([png().subarray(0, 33), ...Array.from({ length: 400_000 }, () => chunk)]),
    ],
  ]
}
