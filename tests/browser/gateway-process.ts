/** Runs the simulator of one gateway as a process, behind HTTPS, which the gateways file requires. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { createServer } from 'node:tls'
import { instant, readInstant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import {
  openAirpaySimulator,
  createSandboxAccount,
} from '../../server/payments/gateways/airpay/simulator/simulator.ts'
import {
  openRazorpaySimulator,
  createRazorpaySandboxAccount,
} from '../../server/payments/gateways/razorpay/simulator/simulator.ts'
import {
  DEFAULT_RETURN_PATH,
  getSignedWebhookPath,
  WEBHOOK_PATH,
} from '../../server/payments/gateways/message-paths.ts'
import { openSimulatorPort } from '../../server/payments/gateways/simulator-port.ts'

/** Paths of the PEM files with the key and the certificate. */
export type Certificate = { readonly key: string; readonly certificate: string }

type Settings = Certificate & {
  readonly kind: 'airpay' | 'razorpay'
  /** The HTTPS port, and the HTTP port behind it. */
  readonly ports: readonly [https: number, http: number]
  readonly account: string
  readonly dataDir: string
  /** Addresses of the app: for webhooks, and for browsers. */
  readonly app: { readonly direct: string; readonly public: string }
  /** Start time of the simulator's clock. */
  readonly clock: string
}

/** Starts the process and waits until it listens. Returns a function that stops it by closing its standard input. */
export async function startGateway(settings: Settings): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [import.meta.filename, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error(`the ${settings.kind} simulator did not start`))),
  ])
  return async () => {
    child.stdin.end()
    await exited
  }
}

/** Accepts HTTPS on a local port and forwards it to another port. Returns a function that closes the port. */
export async function openHttps(
  port: number,
  plainPort: number,
  { key, certificate }: Certificate,
): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>()
  const proxy = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (clientSocket) => {
      const serverSocket = connect(plainPort, '127.0.0.1')
      for (const socket of [clientSocket, serverSocket]) {
        sockets.add(socket)
        // A browser may end a connection at any time.
        socket.on('error', () => {})
        socket.on('close', () => {
          for (const endpoint of [clientSocket, serverSocket]) endpoint.destroy()
          sockets.delete(socket)
        })
      }
      clientSocket.pipe(serverSocket).pipe(clientSocket)
    },
  )
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => proxy.close(resolve))
  }
}

async function runSimulator({
  kind,
  ports,
  account,
  dataDir,
  app,
  ...settings
}: Settings): Promise<void> {
  const [port, plainPort] = ports
  const clockStart = readInstant(settings.clock)
  if (clockStart === null) throw new Error(`not an instant: ${settings.clock}`)
  const startedAt = Date.now()
  const getTime = (): Instant => instant(clockStart + Date.now() - startedAt)
  const log = { info: () => {}, warn: console.warn, error: console.error }
  const [pageUrl, redirectUrl] = [`https://localhost:${port}`, `https://127.0.0.1:${port}`]
  const simulator =
    kind === 'razorpay'
      ? openRazorpaySimulator({
          dataDir,
          accounts: () => [createRazorpaySandboxAccount(account)],
          webhookUrl: () => `${app.direct}${getSignedWebhookPath(kind)}`,
          clock: getTime,
          log,
        })
      : openAirpaySimulator({
          dataDir,
          accounts: () => [createSandboxAccount(account)],
          returnUrl: () => `${app.public}${DEFAULT_RETURN_PATH}`,
          webhookUrl: () => `${app.direct}${WEBHOOK_PATH}`,
          clock: getTime,
          log,
        })
  await openSimulatorPort({
    port: plainPort,
    host: '127.0.0.1',
    publicUrl: app.public,
    addRoutes: simulator.addRoutes,
  })
  simulator.start({ page: pageUrl, hop: redirectUrl, server: pageUrl })
  await openHttps(port, plainPort, settings)
  process.stdin.resume().on('end', () => process.exit())
  console.log('listening')
}

const [, script, settings] = process.argv
if (script === import.meta.filename && settings !== undefined)
  await runSimulator(JSON.parse(settings) as Settings)
