/** Random attack: sends generated requests on concurrent persistent connections and reports violations. */
import { join } from 'node:path'
import { findFormatError } from '../server/http/error-shape.ts'
import { reportProgress } from '../../server/ops/progress.ts'
import { generateRequest } from './requests.ts'
import type { GeneratedRequest, ServerData } from './requests.ts'
import {
  createCode,
  postgraduate,
  createProof,
  buildForm,
  createAddress,
  registerDelegate,
  listRoutes,
  startTarget,
  signInAsAdmin,
  REGISTER,
} from './target.ts'
import type { Target } from './target.ts'
import { openConnection } from './wire.ts'
import type { Outcome } from './wire.ts'

/** The number of connections that a browser with several windows opens. */
const CONNECTION_COUNT = 16
/** Much longer than the usual milliseconds, because the machine may be busy. */
const MAX_WAIT_MS = 100_000
/** The fraction of the requests after which code is compiled, and caches and pools are filled. */
const WARM_UP_SHARE = 0.4

export type Violation = { readonly n: number; readonly problem: string; readonly head: string }
export type RandomRun = {
  readonly requestCount: number
  /** The number of responses by status, including `closed`. */
  readonly responseCounts: ReadonlyMap<string, number>
  readonly violations: readonly Violation[]
  /** Routes to which no request was sent. */
  readonly untestedRoutes: readonly string[]
  /** Memory in bytes after the warm-up and at the end. */
  readonly memory: { readonly afterWarmUp: Memory; readonly end: Memory }
  /** Whether the admin session still exists, so that office routes were tested beyond the sign-in check. */
  readonly isStillSignedIn: boolean
  readonly seconds: number
}
export type Memory = { readonly heapBytes: number; readonly residentBytes: number }

/** Starts a server that collects garbage on SIGUSR2 and reports the remaining memory. */
export function startMeasuredServer(): Promise<Target> {
  return startTarget({ NODE_OPTIONS: `--import ${join(import.meta.dirname, 'collecting.ts')}` })
}

export async function runRandomAttack(
  target: Target,
  seed: number,
  requestCount: number,
): Promise<RandomRun> {
  const serverData = await createServerData(target)
  const responseCounts = new Map<string, number>()
  const violations: Violation[] = []
  const untestedRoutes = new Set(serverData.routes.map(({ method, path }) => `${method} ${path}`))
  const startedAt = performance.now()
  let nextNumber = 0
  const sendUntil = async (endNumber: number): Promise<void> => {
    const connection = openConnection(target.url)
    while (nextNumber < endNumber) {
      const n = nextNumber
      nextNumber += 1
      reportProgress({ step: 'Sending requests', done: n, total: requestCount })
      const request = generateRequest(serverData, seed, n)
      untestedRoutes.delete(`${request.route.method} ${request.route.path}`)
      const outcome = await connection.send(request.bytes, {
        timeoutMs: MAX_WAIT_MS,
        isHead: request.method === 'HEAD',
        shouldCloseConnection: request.breaksConnection,
      })
      const status = typeof outcome === 'string' ? outcome : String(outcome.status)
      responseCounts.set(status, (responseCounts.get(status) ?? 0) + 1)
      const problem = findViolation(request, outcome)
      if (problem !== null) violations.push({ n, problem, head: readHead(request.bytes) })
    }
    connection.close()
  }
  const sendConcurrently = (endNumber: number): Promise<unknown> =>
    Promise.all(Array.from({ length: CONNECTION_COUNT }, () => sendUntil(endNumber)))
  const warmUpEnd = Math.floor(requestCount * WARM_UP_SHARE)
  await sendConcurrently(warmUpEnd)
  const memoryAfterWarmUp = await readMemory(target)
  await sendConcurrently(requestCount)
  const memoryAtEnd = await readMemory(target)
  const seconds = (performance.now() - startedAt) / 1000
  const session = await target.send({
    path: '/admin/session/',
    headers: { authorization: `Bearer ${serverData.tokens[0]}` },
  })
  return {
    requestCount: nextNumber,
    responseCounts,
    violations,
    untestedRoutes: [...untestedRoutes],
    memory: { afterWarmUp: memoryAfterWarmUp, end: memoryAtEnd },
    isStillSignedIn: session.status === 200,
    seconds,
  }
}

/** Returns the start line and the headers of a request as readable text, for debugging a violation. */
function readHead(bytes: Buffer): string {
  const headEnd = bytes.indexOf('\r\n\r\n')
  return bytes.toString('latin1', 0, Math.min(headEnd === -1 ? bytes.length : headEnd, 600))
}

/** Describes the rule that a response violates. Returns null if the response is allowed. */
export function findViolation(
  { isHttp, method, path }: Pick<GeneratedRequest, 'isHttp' | 'method' | 'path'>,
  outcome: Outcome,
): string | null {
  if (outcome === 'late') return `no response within ${MAX_WAIT_MS} ms`
  if (outcome === 'closed') return isHttp ? 'disconnected without a response' : null
  const { status, headers, body } = outcome
  // A busy server may return 503. The format check does not accept this status, so it is checked as another status
  // with the same format.
  const statusCode = status === 503 ? 403 : status
  const actualHeaders = {
    'content-type': headers.get('content-type') ?? '',
    // Invalid HTTP is rejected before a response could be cached.
    'cache-control': isHttp ? (headers.get('cache-control') ?? '') : 'no-store',
  }
  const canBePage = (method === 'GET' || method === 'HEAD') && !/^\/api(\/|$)/.test(path)
  try {
    return findFormatError({ statusCode, headers: actualHeaders, body }, method, canBePage)
  } catch {
    return `${status} with a body that is not JSON: ${body.slice(0, 100)}`
  }
}

const CODE = 'RANDOM-9'

/** Creates a discount code, registrations (one with a document) and the session of an admin. */
async function createServerData(target: Target): Promise<ServerData> {
  await createCode(target, CODE)
  const { headers, body } = buildForm(postgraduate, [createProof()])
  const proofResponse = await target.send({ method: 'POST', path: REGISTER, headers, body })
  const otherRegistrations = await Promise.all([registerDelegate(target), registerDelegate(target)])
  return {
    routes: await listRoutes(),
    regNos: [
      (JSON.parse(proofResponse.body) as { reg_no: string }).reg_no,
      ...otherRegistrations.map(({ regNo }) => regNo),
      `${otherRegistrations[0]?.regNo}02`,
    ],
    tokens: [await signInAsAdmin(target, createAddress())],
    eventIds: [
      ...new Set(
        target.readRows('SELECT event_id FROM registrations').map((row) => String(row['event_id'])),
      ),
      'pulmocon2025',
      'nothing',
    ],
    codes: [CODE],
  }
}

/** Reads the memory after a garbage collection. */
async function readMemory(target: Target): Promise<Memory> {
  const readReports = (): Memory[] =>
    [...target.readOutput().matchAll(/^collected (\{.*\})$/gm)].map(
      ([, memory = '']) => JSON.parse(memory) as Memory,
    )
  const reportsBefore = readReports().length
  target.process.kill('SIGUSR2')
  for (;;) {
    const memory = readReports()[reportsBefore]
    if (memory !== undefined) return memory
    // A response shows that the server has processed the signal.
    await target.send({ path: '/healthz' })
  }
}
