/** Thread that holds one PostgreSQL connection and serves a thread that waits for it. */
import { workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import pg from 'pg'
import { Asking, notSaid } from './statement-pipeline.ts'
import type { Prepared } from './statement-pipeline.ts'
import type {
  BridgeRequest,
  FromSpeaker,
  BridgeResponse,
  SpeakerData,
  ToSpeaker,
} from './synchronous-bridge.ts'

/** A server that is not there is not waited for longer. */
const CONNECT_MS_MAX = 10_000

type Holder = { readonly client: pg.Client; readonly prepared: Prepared }

const { url, signal, port } = workerData as SpeakerData & { readonly port: MessagePort }
const answered = new Int32Array(signal)
let current: Holder | null = null

async function connect(): Promise<Holder> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    application_name: 'rollcall',
  })
  const made: Holder = { client, prepared: new Map() }
  const lose = (): void => {
    if (current === made) current = null
  }
  // Without somebody who listens a failover would end the process.
  client.on('error', lose)
  client.on('end', lose)
  await client.connect()
  current = made
  return made
}

const GONE: BridgeResponse = {
  ok: false,
  code: '',
  message: 'the connection to PostgreSQL was lost',
  lost: true,
}

/** A transaction is begun on a connection that is there; whatever else is asked belongs to one that may have gone with it. */
async function answer(asked: readonly BridgeRequest[]): Promise<readonly BridgeResponse[]> {
  try {
    const begins = asked[0]?.text.startsWith('BEGIN') === true
    const holder = current ?? (begins ? await connect() : null)
    if (holder === null) return asked.map(() => GONE)
    const said = await new Promise<readonly BridgeResponse[]>((resolve) => {
      holder.client.query(new Asking(asked, holder.prepared, resolve))
    })
    // The server says farewell before the connection ends: nothing more is asked of it.
    if (said.some((one) => !one.ok && one.lost) && current === holder) current = null
    return said
  } catch (error) {
    return asked.map(() => notSaid(error))
  }
}

port.on('message', (message: ToSpeaker) => {
  if ('close' in message) {
    void current?.client.end().catch(() => {})
    port.close()
    return
  }
  void answer(message.asked).then((said) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    port.postMessage({ id: message.id, said } satisfies FromSpeaker)
    Atomics.add(answered, 0, 1)
    Atomics.notify(answered, 0)
  })
})
