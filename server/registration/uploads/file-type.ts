/** Detects a file's type from its content on disk, reading no more than necessary. */
import { open } from 'node:fs/promises'
import path from 'node:path'
import { hasTopLevelStream } from './ole-file.ts'

type Kind = {
  readonly mime: string
  /** The extensions that a file of this kind may have. */
  readonly extensions: readonly string[]
  /**
   * The bytes at the start of the file. They are checked first, so that the library's video and archive parsers never
   * see untrusted files.
   */
  readonly firstBytes: string
}

/** Other kinds cannot be detected from their content and are rejected. */
const KINDS: Readonly<Record<string, Kind>> = {
  pdf: { mime: 'application/pdf', extensions: ['pdf'], firstBytes: '%PDF' },
  jpg: { mime: 'image/jpeg', extensions: ['jpg', 'jpeg'], firstBytes: '\xff\xd8\xff' },
  png: { mime: 'image/png', extensions: ['png'], firstBytes: '\x89PNG' },
  gif: { mime: 'image/gif', extensions: ['gif'], firstBytes: 'GIF' },
  webp: { mime: 'image/webp', extensions: ['webp'], firstBytes: 'RIFF' },
  docx: {
    mime: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    extensions: ['docx'],
    firstBytes: 'PK\x03\x04',
  },
  doc: {
    mime: 'application/msword',
    extensions: ['doc'],
    firstBytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
  },
}
const FIRST_BYTES_LENGTH = 16
/** Byte order mark that some programs write before text; some PDFs have one. */
const BYTE_ORDER_MARK = '\xef\xbb\xbf'
/** This stream distinguishes an old Word document from other OLE files. */
const WORD_STREAM = 'WordDocument'

/**
 * Returns the media type of a file whose content is an accepted kind and matches its name; null otherwise.
 * Ignores media types sent by the client. `accept` contains extensions.
 */
export async function detectMediaType(
  filePath: string,
  name: string,
  accept: readonly string[],
): Promise<string | null> {
  const extension = path.extname(name).slice(1).toLowerCase()
  if (!accept.includes(extension)) return null
  const kind = KINDS[(await detectKind(filePath)) ?? '']
  return kind !== undefined && kind.extensions.includes(extension) ? kind.mime : null
}

/** Returns pdf, jpg, png, gif, webp, docx or doc; null for everything else. */
export async function detectKind(filePath: string): Promise<string | null> {
  const [kind, isWord] = await readFirstBytes(filePath)
  if (kind === null) return null
  if (kind === 'doc') return isWord ? kind : null
  // Loaded on the first upload, because an idle server does not need it.
  const { fileTypeFromFile } = await import('file-type')
  const detectedType = await fileTypeFromFile(filePath).catch(() => undefined)
  return detectedType !== undefined && Object.hasOwn(KINDS, detectedType.ext)
    ? detectedType.ext
    : null
}

/** Returns the kind that the first bytes suggest and, for an OLE file, whether it is a Word document. */
async function readFirstBytes(filePath: string): Promise<[kind: string | null, isWord: boolean]> {
  const file = await open(filePath, 'r')
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(FIRST_BYTES_LENGTH),
      0,
      FIRST_BYTES_LENGTH,
      0,
    )
    const start = buffer.toString('latin1', 0, bytesRead)
    const content = start.startsWith(BYTE_ORDER_MARK) ? start.slice(BYTE_ORDER_MARK.length) : start
    const kind =
      Object.keys(KINDS).find((name) => content.startsWith(KINDS[name]?.firstBytes ?? '')) ?? null
    if (kind !== 'doc') return [kind, false]
    return [kind, await hasTopLevelStream(file, WORD_STREAM)]
  } finally {
    await file.close()
  }
}
