/**
 * Typesets documents in a worker thread.
 * The typesetter and its fonts need more memory than the server.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import { assert } from '../../engine/index.ts'
import type { PrintedDocument } from './document-contents.ts'

export type RenderRequest = {
  readonly id: number
  readonly document: PrintedDocument
  readonly at: number
}
export type RenderResult = {
  readonly id: number
  readonly pdf: Uint8Array | null
  readonly error: string
}

const { resolve } = createRequire(import.meta.url)
/** Fonts for every Indian script; the first has Latin, the rupee sign and bold. */
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
  ].map(
    (script) => `noto-sans-${script.toLowerCase()}/400Regular/NotoSans${script}_400Regular.ttf`,
  ),
]
const template = readFileSync(new URL('./document-layout.typ', import.meta.url), 'utf8')
const compiler = NodeCompiler.create({
  // Nothing is read from disk.
  workspace: import.meta.dirname,
  fontArgs: [
    { fontBlobs: FONT_FILES.map((file) => readFileSync(resolve(`@expo-google-fonts/${file}`))) },
  ],
})

function renderPdf({ document, at }: RenderRequest): Uint8Array {
  const { result } = compiler.compile({
    mainFileContent: template,
    inputs: { document: JSON.stringify(document) },
  })
  assert(result !== null, 'the typesetter returned no document')
  // The same data gives the same file, byte for byte.
  const pdf = compiler.pdf(result, { creationTimestamp: Math.floor(at / 1000) })
  compiler.evictCache(10)
  return new Uint8Array(pdf)
}

parentPort?.on('message', (request: RenderRequest) => {
  const respond = (pdf: Uint8Array | null, error: string): void =>
    parentPort?.postMessage({ id: request.id, pdf, error } satisfies RenderResult)
  try {
    respond(renderPdf(request), '')
  } catch (error) {
    respond(null, String(error))
  }
})
