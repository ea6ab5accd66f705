/** Clients that register and read without a break, each request over a connection of its own, as a proxy without kept connections asks. */
import { request } from 'node:http'

export type Load = {
  /** Resolves once so many requests have been answered, or one has failed. */
  answered(count: number): Promise<void>
  readonly count: () => number
  /** Lets what is on its way end. `statuses`: how many requests heard what; 0: none was answered. */
  end(): Promise<{
    readonly statuses: Readonly<Record<number, number>>
    readonly regNos: readonly string[]
    /** What failed, in words. */
    readonly failed: readonly string[]
  }>
}
export type Ask = {
  readonly path: string
  readonly body?: string | Buffer
  /** An address of this machine to come from; any when left out. */
  readonly from?: string
  readonly headers?: Readonly<Record<string, string | number>>
}
type Heard = { readonly status: number; readonly text: string }

/** One request over a connection of its own; rejects where none is answered. */
export function askOnce(url: string, { path, body, headers = {}, from }: Ask): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const asked = request(
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
        response.on('data', (piece: string) => (text += piece))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Of each three requests two register somebody. `asks` makes the n-th. */
export function asking(
  url: string,
  { clients, asks = usual }: { readonly clients: number; readonly asks?: (n: number) => Ask },
): Load {
  const statuses: Record<number, number> = {}
  const regNos: string[] = []
  const failed: string[] = []
  const waiting = new Set<() => void>()
  let n = 0
  let count = 0
  const ending = new AbortController()
  const told = (status: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1
    count += 1
    for (const look of waiting) look()
  }
  const work = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      n += 1
      const ask = asks(n)
      try {
        const { status, text } = await askOnce(url, ask)
        if (status === 201) regNos.push((JSON.parse(text) as { readonly reg_no: string }).reg_no)
        else if (status !== 200) failed.push(`${ask.path}: ${status} ${text.slice(0, 200)}`)
        told(status)
      } catch (error) {
        failed.push(`${ask.path}: ${String(error)}`)
        told(0)
      }
    }
  }
  const working = Array.from({ length: clients }, work)
  return {
    count: () => count,
    answered: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (count < wanted && failed.length === 0) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    end: async () => {
      ending.abort()
      await Promise.all(working)
      return { statuses, regNos, failed }
    },
  }
}

function usual(n: number): Ask {
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
