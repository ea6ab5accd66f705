/**
 * Reads the directory of an OLE file in place and with bounded work. Old Word documents, Excel sheets, Outlook messages
 * and Windows installers are all OLE files with the same first bytes; the names of their streams differ. The format
 * (MS-CFB) is a file system in a file: chains of sectors and a tree of entries. A malicious file may make either of
 * them circular, or spread them over the whole file.
 */
import type { FileHandle } from 'node:fs/promises'

/** A Word document has about ten entries, or a few hundred with very many embedded objects. */
const MAX_ENTRIES = 4096
const ENTRY_BYTES = 128
const HEADER_BYTES = 512
/** The header lists the first sectors of the allocation table; further ones form a chain. */
const TABLE_SECTORS_IN_HEADER = 109
/** Sector numbers from here on mean "end of chain", "free" and so on. */
const FIRST_SPECIAL_SECTOR = 0xfffffffa
const STREAM = 2
const ROOT = 5

type Container = {
  readonly file: FileHandle
  readonly sectorBytes: number
  readonly header: Buffer
}
/**
 * `left`, `right` and `child` are indexes in the list of entries; an index without an entry means that there is no such
 * node.
 */
type Entry = {
  readonly name: string
  readonly type: number
  readonly left: number
  readonly right: number
  readonly child: number
}

/**
 * Returns true if the file has a stream with this name at the top level, not within an embedded object. Also returns
 * false for a truncated or inconsistent file, and for one that exceeds the limits.
 */
export async function hasTopLevelStream(file: FileHandle, name: string): Promise<boolean> {
  const container = await openContainer(file)
  const entries = container === null ? null : await readEntries(container)
  const root = entries?.[0]
  if (entries === null || root === undefined || root.type !== ROOT) return false
  const visited = new Set<number>()
  const stack = [root.child]
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    const entry = entries[index]
    if (entry === undefined || visited.has(index)) continue
    visited.add(index)
    if (entry.type === STREAM && entry.name.toLowerCase() === name.toLowerCase()) return true
    stack.push(entry.left, entry.right)
  }
  return false
}

async function openContainer(file: FileHandle): Promise<Container | null> {
  const header = await readAt(file, 0, HEADER_BYTES)
  if (header === null) return null
  const shift = header.readUInt16LE(30)
  return shift === 9 || shift === 12 ? { file, sectorBytes: 2 ** shift, header } : null
}

/**
 * Returns the entries of the directory. Returns null if its chain points outside the file, is circular, or is longer
 * than any legitimate one.
 */
async function readEntries(container: Container): Promise<readonly Entry[] | null> {
  const entries: Entry[] = []
  const visited = new Set<number>()
  let sector: number | null = container.header.readUInt32LE(48)
  while (sector !== null && sector < FIRST_SPECIAL_SECTOR) {
    if (visited.has(sector) || entries.length >= MAX_ENTRIES) return null
    visited.add(sector)
    const content = await readSector(container, sector)
    if (content === null) return null
    for (let offset = 0; offset < content.length; offset += ENTRY_BYTES)
      entries.push(parseEntry(content.subarray(offset, offset + ENTRY_BYTES)))
    sector = await readNextSector(container, sector)
  }
  return sector === null ? null : entries
}

function parseEntry(bytes: Buffer): Entry {
  // The length is in bytes of UTF-16 and includes the terminating zero.
  const nameBytes = Math.max(0, Math.min(64, bytes.readUInt16LE(64)) - 2)
  return {
    name: bytes.toString('utf16le', 0, nameBytes),
    type: bytes.readUInt8(66),
    left: bytes.readUInt32LE(68),
    right: bytes.readUInt32LE(72),
    child: bytes.readUInt32LE(76),
  }
}

/**
 * Returns the next sector of the chain; at the end of the chain, FIRST_SPECIAL_SECTOR or higher. Returns null if the
 * table points outside the file.
 */
async function readNextSector(container: Container, sector: number): Promise<number | null> {
  const numbersPerSector = container.sectorBytes / 4
  const tableSector = await findTableSector(container, Math.floor(sector / numbersPerSector))
  if (tableSector === null || tableSector >= FIRST_SPECIAL_SECTOR) return null
  const offset = getSectorOffset(container, tableSector) + (sector % numbersPerSector) * 4
  return (await readAt(container.file, offset, 4))?.readUInt32LE(0) ?? null
}

/**
 * Returns the position of the allocation table's sector with this index. The index, and with it the number of
 * steps, is bounded by the file's size.
 */
async function findTableSector(container: Container, index: number): Promise<number | null> {
  if (index < TABLE_SECTORS_IN_HEADER) return container.header.readUInt32LE(76 + index * 4)
  // The last number in each sector of this chain points to the next sector.
  const entriesPerSector = container.sectorBytes / 4 - 1
  let sector = container.header.readUInt32LE(68)
  for (let remaining = index - TABLE_SECTORS_IN_HEADER; ; remaining -= entriesPerSector) {
    const content = sector < FIRST_SPECIAL_SECTOR ? await readSector(container, sector) : null
    if (content === null) return null
    if (remaining < entriesPerSector) return content.readUInt32LE(remaining * 4)
    sector = content.readUInt32LE(entriesPerSector * 4)
  }
}

function getSectorOffset({ sectorBytes }: Container, sector: number): number {
  return (sector + 1) * sectorBytes
}

/** Returns the content of a sector. Returns null if it is outside the file. */
async function readSector(container: Container, sector: number): Promise<Buffer | null> {
  return readAt(container.file, getSectorOffset(container, sector), container.sectorBytes)
}

/** Returns exactly this many bytes. Returns null if there are fewer. */
async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer | null> {
  const buffer = Buffer.alloc(bytes)
  const { bytesRead } = await file.read(buffer, 0, bytes, position)
  return bytesRead === bytes ? buffer : null
}
