/** Clients that register and read without pausing, and open a new connection for each request. */
import { request } from 'node:http'

export type Load = {
  /** Resolves after this many responses, or after a failure. */
  waitForResponses(count: number): Promise<void>
  readonly count: () => number
  /**
   * Stops the clients once the requests in progress have ended. `statuses`: the number of responses per status, where
   * 0 counts requests without a response.
   */
  end(): Promise<{
    readonly statuses: Readonly<Record<number, number>>
    readonly regNos: readonly string[]
    /** The messages of errors, such as refused connections. */
    readonly failures: readonly string[]
  }>
}
export type LoadRequest = {
  readonly path: string
  readonly body?: string | Buffer
  /** The local address to connect from. Any address if omitted. */
  readonly from?: string
  readonly headers?: Readonly<Record<string, string | number>>
}
type LoadResponse = { readonly status: number; readonly text: string }

/** Sends one request over a new connection. Rejects if there is no response. */
export function sendOnce(
  url: string,
  { path, body, headers = {}, from }: LoadRequest,
): Promise<LoadResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}${path}`,
      {
        agent: false,
        ...(from === undefined ? {} : { localAddress: from }),
        method: body === undefined ? 'GET' : 'POST',
        headers:
          body === undefined
            ? headers
            : {
                'content-type': 'application/json',
                'content-length': Buffer.byteLength(body),
                ...headers,
              },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/**
 * Starts the clients, which connect as a proxy without keep-alive would. By default, two in three requests register
 * a delegate. `createRequest` builds the n-th request.
 */
export function startLoad(
  url: string,
  {
    clients,
    createRequest = createDefaultRequest,
  }: { readonly clients: number; readonly createRequest?: (n: number) => LoadRequest },
): Load {
  const statuses: Record<number, number> = {}
  const regNos: string[] = []
  const failures: string[] = []
  const checks = new Set<() => void>()
  let n = 0
  let count = 0
  const abortController = new AbortController()
  const countStatus = (status: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1
    count += 1
    for (const check of checks) check()
  }
  const runClient = async (): Promise<void> => {
    while (!abortController.signal.aborted) {
      n += 1
      const loadRequest = createRequest(n)
      try {
        const { status, text } = await sendOnce(url, loadRequest)
        if (status === 201) regNos.push((JSON.parse(text) as { readonly reg_no: string }).reg_no)
        else if (status !== 200)
          failures.push(`${loadRequest.path}: ${status} ${text.slice(0, 200)}`)
        countStatus(status)
      } catch (error) {
        failures.push(`${loadRequest.path}: ${String(error)}`)
        countStatus(0)
      }
    }
  }
  const clientRuns = Array.from({ length: clients }, runClient)
  return {
    count: () => count,
    waitForResponses: (targetCount) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (count < targetCount && failures.length === 0) return
          checks.delete(check)
          resolve()
        }
        checks.add(check)
        check()
      }),
    end: async () => {
      abortController.abort()
      await Promise.all(clientRuns)
      return { statuses, regNos, failures }
    },
  }
}

function createDefaultRequest(n: number): LoadRequest {
  if (n % 3 === 0) return { path: '/robots.txt' }
  return {
    path: '/api/afpicon/register/',
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email: `asha${n}@example.org`,
      phone_number: '1',
      ticket_type: 'afpi-gp-specialist',
    }),
  }
}
