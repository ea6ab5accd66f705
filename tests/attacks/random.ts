/** The random run: so many requests of a seed, side by side on connections that stay, and what they broke. */
import { join } from 'node:path'
import { findFormatError } from '../server/http/error-shape.ts'
import { draw } from './requests.ts'
import type { Drawn, Known } from './requests.ts'
import {
  codeMade,
  postGraduate,
  proof,
  formOf,
  freshAddress,
  registered,
  routesOf,
  startTarget,
  signedIn,
  REGISTER,
} from './target.ts'
import type { Target } from './target.ts'
import { openLine } from './wire.ts'
import type { Outcome } from './wire.ts'

/** As many as a browser with some windows opens. */
const LINES = 16
/** Of a server that answers in milliseconds, on a machine that does much else. */
const PATIENCE_MS = 100_000
/** Compiled code, caches and pools are there by then. */
const WARM_SHARE = 0.4

export type Violation = { readonly n: number; readonly what: string; readonly head: string }
export type Run = {
  readonly requests: number
  /** How many were answered so, `closed` among them. */
  readonly answers: ReadonlyMap<string, number>
  readonly violations: readonly Violation[]
  /** Routes that nothing was asked of. */
  readonly unasked: readonly string[]
  /** Bytes after the warm-up and at the end. */
  readonly memory: { readonly warm: Memory; readonly end: Memory }
  /** Whether the admin that it acted as is still signed in, so that the office was asked and not only its door. */
  readonly isStillSignedIn: boolean
  readonly seconds: number
}
export type Memory = { readonly heapBytes: number; readonly residentBytes: number }

/** Starts a server that collects what nobody holds when it is sent SIGUSR2, and says what is left. */
export function startMeasured(): Promise<Target> {
  return startTarget({ NODE_OPTIONS: `--import ${join(import.meta.dirname, 'collecting.ts')}` })
}

export async function randomRun(target: Target, seed: number, requests: number): Promise<Run> {
  const known = await knownOf(target)
  const answers = new Map<string, number>()
  const violations: Violation[] = []
  const unasked = new Set(known.routes.map(({ method, path }) => `${method} ${path}`))
  const begun = performance.now()
  let next = 0
  const work = async (until: number): Promise<void> => {
    const line = openLine(target.url)
    while (next < until) {
      const n = next
      next += 1
      const drawn = draw(known, seed, n)
      unasked.delete(`${drawn.route.method} ${drawn.route.path}`)
      const outcome = await line.ask(drawn.bytes, {
        patienceMs: PATIENCE_MS,
        isHead: drawn.method === 'HEAD',
        endsLine: drawn.endsLine,
      })
      const told = typeof outcome === 'string' ? outcome : String(outcome.status)
      answers.set(told, (answers.get(told) ?? 0) + 1)
      const what = violationOf(drawn, outcome)
      if (what !== null) violations.push({ n, what, head: headOf(drawn.bytes) })
    }
    line.close()
  }
  const together = (until: number): Promise<unknown> =>
    Promise.all(Array.from({ length: LINES }, () => work(until)))
  const warmUntil = Math.floor(requests * WARM_SHARE)
  await together(warmUntil)
  const warm = await memoryOf(target)
  await together(requests)
  const end = await memoryOf(target)
  const seconds = (performance.now() - begun) / 1000
  const session = await target.ask({
    path: '/admin/session/',
    headers: { authorization: `Bearer ${known.tokens[0]}` },
  })
  return {
    requests: next,
    answers,
    violations,
    unasked: [...unasked],
    memory: { warm, end },
    isStillSignedIn: session.status === 200,
    seconds,
  }
}

/** The beginning of a request, to be read by whoever mends what it broke. */
function headOf(bytes: Buffer): string {
  const end = bytes.indexOf('\r\n\r\n')
  return bytes.toString('latin1', 0, Math.min(end === -1 ? bytes.length : end, 600))
}

/** Null: answered as it may be. */
export function violationOf(
  { isHttp, method, path }: Pick<Drawn, 'isHttp' | 'method' | 'path'>,
  outcome: Outcome,
): string | null {
  if (outcome === 'late') return `no answer in ${PATIENCE_MS} ms`
  if (outcome === 'closed') return isHttp ? 'hung up without an answer' : null
  const { status, headers, body } = outcome
  // A crowded server may say so, in the same shape as every other no.
  const statusCode = status === 503 ? 403 : status
  const said = {
    'content-type': headers.get('content-type') ?? '',
    // What is no HTTP is refused before there is an answer that could be kept.
    'cache-control': isHttp ? (headers.get('cache-control') ?? '') : 'no-store',
  }
  const mayBePage = (method === 'GET' || method === 'HEAD') && !/^\/api(\/|$)/.test(path)
  try {
    return findFormatError({ statusCode, headers: said, body }, method, mayBePage)
  } catch {
    return `${status} with a body that is no JSON: ${body.slice(0, 100)}`
  }
}

const CODE = 'RANDOM-9'

/** Registrations, one with a proof, and an admin who is signed in. */
async function knownOf(target: Target): Promise<Known> {
  await codeMade(target, CODE)
  const { headers, body } = formOf(postGraduate, [proof()])
  const withProof = await target.ask({ method: 'POST', path: REGISTER, headers, body })
  const others = await Promise.all([registered(target), registered(target)])
  return {
    routes: await routesOf(),
    regNos: [
      (JSON.parse(withProof.body) as { reg_no: string }).reg_no,
      ...others.map(({ regNo }) => regNo),
      `${others[0]?.regNo}02`,
    ],
    tokens: [await signedIn(target, freshAddress())],
    eventIds: [
      ...new Set(
        target.rows('SELECT event_id FROM registrations').map((row) => String(row['event_id'])),
      ),
      'pulmocon2025',
      'nothing',
    ],
    codes: [CODE],
  }
}

/** After everything has been collected that nobody holds any more. */
async function memoryOf(target: Target): Promise<Memory> {
  const told = (): Memory[] =>
    [...target.printed().matchAll(/^collected (\{.*\})$/gm)].map(
      ([, memory = '']) => JSON.parse(memory) as Memory,
    )
  const before = told().length
  target.process.kill('SIGUSR2')
  for (;;) {
    const memory = told()[before]
    if (memory !== undefined) return memory
    // An answered request says that the server has had its turn.
    await target.ask({ path: '/healthz' })
  }
}
