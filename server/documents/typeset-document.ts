/** Typesets documents as PDF. Only for the background process: the typesetter never releases its memory. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type * as Typst from '@myriaddreamin/typst-ts-node-compiler'
import { assert, memoize } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import { importLazily } from '../ops/lazy-import.ts'
import type { PrintedDocument } from './document-contents.ts'
import type { PrintedEvidence } from './evidence-contents.ts'

const loadTypst = importLazily<typeof Typst>('@myriaddreamin/typst-ts-node-compiler')
const { resolve } = createRequire(import.meta.url)
/**
 * Fonts for Latin and nine Indian scripts. The first three files have the Latin letters and the rupee sign, in regular,
 * semibold and bold.
 */
const FONT_FILES = [
  'noto-sans/400Regular/NotoSans_400Regular.ttf',
  'noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
  'noto-sans/700Bold/NotoSans_700Bold.ttf',
  ...[
    'Devanagari',
    'Malayalam',
    'Tamil',
    'Kannada',
    'Telugu',
    'Bengali',
    'Gujarati',
    'Gurmukhi',
    'Oriya',
  ].map(
    (script) => `noto-sans-${script.toLowerCase()}/400Regular/NotoSans${script}_400Regular.ttf`,
  ),
]
const LAYOUT = 'document-layout.typ'
const EVIDENCE_LAYOUT = 'evidence-layout.typ'
/** Paths of files that exist only in memory. The layout stays there, so it is parsed only once. */
const LAYOUT_PATH = path.join(import.meta.dirname, 'layout-in-memory.typ')
const EVIDENCE_LAYOUT_PATH = path.join(import.meta.dirname, 'evidence-layout-in-memory.typ')
const DATA_PATH = path.join(import.meta.dirname, 'document-in-memory.json')
/** The number of recent results that the compiler keeps, so parts that documents share are computed only once. */
const COMPILER_CACHE_SIZE = 3
/** About 400 receipts. Delegates often open the document on their page soon after the email arrives. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024

const getCompiler = memoize((_: 'documents') => {
  const compiler = loadTypst().NodeCompiler.create({
    // Nothing is read from disk.
    workspace: import.meta.dirname,
    fontArgs: [
      { fontBlobs: FONT_FILES.map((file) => readFileSync(resolve(`@expo-google-fonts/${file}`))) },
    ],
  })
  compiler.mapShadow(LAYOUT_PATH, readFileSync(new URL(LAYOUT, import.meta.url)))
  compiler.mapShadow(EVIDENCE_LAYOUT_PATH, readFileSync(new URL(EVIDENCE_LAYOUT, import.meta.url)))
  return compiler
})

const cachedDocuments = new Map<string, Buffer>()
let cachedBytes = 0

/** Returns the PDF; the same data gives the same bytes, and is not typeset again while the result is cached. */
export function typesetDocument({
  document,
  at,
}: {
  readonly document: PrintedDocument | PrintedEvidence
  readonly at: Instant
}): Buffer {
  const data = Buffer.from(JSON.stringify(document))
  const key = createHash('sha256').update(data).update(String(at)).digest('base64')
  const cachedDocument = cachedDocuments.get(key)
  if (cachedDocument !== undefined) return cachedDocument
  const compiler = getCompiler('documents')
  compiler.mapShadow(DATA_PATH, data)
  const { result } = compiler.compile({
    mainFilePath: 'sections' in document ? EVIDENCE_LAYOUT_PATH : LAYOUT_PATH,
  })
  assert(result !== null, 'the typesetter returned no document')
  const pdf = compiler.pdf(result, { creationTimestamp: Math.floor(at / 1000) })
  compiler.evictCache(COMPILER_CACHE_SIZE)
  cachedDocuments.set(key, pdf)
  cachedBytes += pdf.length
  for (const [oldest, { length }] of cachedDocuments) {
    if (cachedBytes <= MAX_CACHED_BYTES) break
    cachedDocuments.delete(oldest)
    cachedBytes -= length
  }
  return pdf
}
