/** Detects a file's type from its content on disk, reading no more than necessary. */
import { open } from 'node:fs/promises'
import path from 'node:path'
import { hasTopStream } from './ole-file.ts'

type Kind = {
  readonly mime: string
  /** Extensions that a file of this kind may have. */
  readonly endings: readonly string[]
  /**
   * The first bytes. They are checked first, so that the library's video and archive parsers never see untrusted
   * files.
   */
  readonly begins: string
}

/** A kind that is not listed cannot be detected from its content and is refused. */
const KINDS: Readonly<Record<string, Kind>> = {
  pdf: { mime: 'application/pdf', endings: ['pdf'], begins: '%PDF' },
  jpg: { mime: 'image/jpeg', endings: ['jpg', 'jpeg'], begins: '\xff\xd8\xff' },
  png: { mime: 'image/png', endings: ['png'], begins: '\x89PNG' },
  gif: { mime: 'image/gif', endings: ['gif'], begins: 'GIF' },
  webp: { mime: 'image/webp', endings: ['webp'], begins: 'RIFF' },
  docx: {
    mime: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    endings: ['docx'],
    begins: 'PK\x03\x04',
  },
  doc: {
    mime: 'application/msword',
    endings: ['doc'],
    begins: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
  },
}
const BEGINNING_BYTES = 16
/** Byte order mark that some programs put before a text; PDFs with one exist. */
const BYTE_ORDER_MARK = '\xef\xbb\xbf'
/** This stream distinguishes an old Word document from other OLE files. */
const WORD_STREAM = 'WordDocument'

/**
 * Returns the media type of a file whose content is an accepted kind and matches its name; null otherwise.
 * Ignores media types sent by the client. `accept` holds extensions.
 */
export async function typeOfFile(
  place: string,
  name: string,
  accept: readonly string[],
): Promise<string | null> {
  const ending = path.extname(name).slice(1).toLowerCase()
  if (!accept.includes(ending)) return null
  const kind = KINDS[(await kindOfFile(place)) ?? '']
  return kind !== undefined && kind.endings.includes(ending) ? kind.mime : null
}

/** Returns pdf, jpg, png, gif, webp, docx or doc; null for everything else. */
export async function kindOfFile(place: string): Promise<string | null> {
  const [kind, isWord] = await beginningOf(place)
  if (kind === null) return null
  if (kind === 'doc') return isWord ? kind : null
  // Loaded with the first upload, so that an idle server does not need it.
  const { fileTypeFromFile } = await import('file-type')
  const found = await fileTypeFromFile(place).catch(() => undefined)
  return found !== undefined && Object.hasOwn(KINDS, found.ext) ? found.ext : null
}

/** Returns the kind that the first bytes suggest and, for an OLE file, whether it is a Word document. */
async function beginningOf(place: string): Promise<[kind: string | null, isWord: boolean]> {
  const file = await open(place, 'r')
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(BEGINNING_BYTES),
      0,
      BEGINNING_BYTES,
      0,
    )
    const read = buffer.toString('latin1', 0, bytesRead)
    const first = read.startsWith(BYTE_ORDER_MARK) ? read.slice(BYTE_ORDER_MARK.length) : read
    const kind =
      Object.keys(KINDS).find((name) => first.startsWith(KINDS[name]?.begins ?? '')) ?? null
    if (kind !== 'doc') return [kind, false]
    return [kind, await hasTopStream(file, WORD_STREAM)]
  } finally {
    await file.close()
  }
}
