/** Steps that test failures: a full disk, an interrupted mail server or gateway, and an invalid event file. */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { request } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { instant } from '../../../../engine/index.ts'
import {
  openAirpaySimulator,
  createSandboxAccount,
  getAirpaySimulatorAddresses,
} from '../../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { openSimulatorPort } from '../../../../server/payments/gateways/simulator-port.ts'
import { buildGatewayForm } from '../../../attacks/gateway.ts'
import { findFreePort } from '../../../browser/serve.ts'
import { sendOnce } from '../load.ts'
import {
  createLoadRequest,
  readMetrics,
  FREE_EVENT_ID,
  readRegNos,
  openOffice,
  buildOpenEvent,
  PAID_EVENT_ID,
  registerOne,
  readRows,
  expectSame,
  waitUntil,
} from './installation.ts'
import type { Step } from './step.ts'
import { USER_ID } from './systemd-unit.ts'

const DISK_MB = 100

const readHealth = async (url: string): Promise<string> => {
  const { status, text } = await sendOnce(url, {
    path: '/healthz',
    headers: { connection: 'keep-alive' },
  })
  const { health, code, troubles } = JSON.parse(text) as {
    readonly health?: string
    readonly code?: string
    readonly troubles?: readonly string[]
  }
  return [status, health ?? code, ...(troubles ?? [])].join(' ')
}

export const fillDisk: Step = {
  name: 'fill the disk, and free it',
  run: async (installation, print) => {
    const folders = installation.createFolders('disk')
    const { dataDir } = folders
    if (
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', dataDir]).status !== 0
    ) {
      print('a separate disk needs root on this machine: not tested')
      return
    }
    try {
      chmodSync(dataDir, 0o700)
      if (installation.confinement.isOtherUser) chownSync(dataDir, USER_ID, USER_ID)
      const socketParent = await installation.serve(folders)
      const acceptedNumbers = [await registerOne(socketParent.url, 1)]
      const ballastFile = join(dataDir, 'ballast')
      const readFreeBytes = (): number => {
        const { bavail, bsize } = statfsSync(dataDir)
        return bavail * bsize
      }
      try {
        writeFileSync(ballastFile, Buffer.alloc(readFreeBytes()))
      } catch {
        // The file has taken all free space.
      }
      print(`the disk is full: ${readFreeBytes()} bytes are free`)
      const statuses: number[] = []
      for (let n = 2; n < 60; n += 1) {
        const { status, text } = await sendOnce(socketParent.url, createLoadRequest(n * 3 + 1))
        statuses.push(status)
        if (status === 201)
          acceptedNumbers.push((JSON.parse(text) as { readonly reg_no: string }).reg_no)
      }
      const rejectedStatuses = statuses.filter((status) => status !== 201)
      expectSame('the responses to rejected delegates', [...new Set(rejectedStatuses)], [503])
      const health = await readHealth(socketParent.url)
      if (!health.startsWith('503')) throw new Error(`/healthz reports ${health}`)
      const lineCount = socketParent.readOutput().match(/requests are refused/g)?.length ?? 0
      if (lineCount === 0) throw new Error('the log does not report it')
      print(
        `${statuses.length} register: ${statuses.length - rejectedStatuses.length} are stored and ${rejectedStatuses.length} get 503; ${lineCount} lines in the log; /healthz: ${health}`,
      )
      rmSync(ballastFile)
      acceptedNumbers.push(await registerOne(socketParent.url, 100))
      const seconds = await waitUntil('/healthz is healthy again', 60, async () =>
        (await readHealth(socketParent.url)).startsWith('200'),
      )
      expectSame('the stored registrations', readRegNos(folders), acceptedNumbers.toSorted())
      print(
        `space freed: the next registration is accepted, /healthz is healthy after ${seconds.toFixed(0)} s, and all ${acceptedNumbers.length} confirmed registrations are stored`,
      )
      await socketParent.close()
    } finally {
      spawnSync('umount', [dataDir])
    }
  },
}

/** Creates a mail server that can be interrupted and records the recipients of its emails. */
function createMailServer() {
  const recipients: string[] = []
  let server: SMTPServer | null = null
  const listen = async (port: number): Promise<void> => {
    server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, session, done) => {
        stream.on('end', () => {
          recipients.push(...session.envelope.rcptTo.map(({ address }) => address))
          done()
        })
        stream.resume()
      },
    })
    server.on('error', () => {})
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
  }
  const cut = async (): Promise<void> => {
    const closingServer = server
    server = null
    if (closingServer === null) return
    for (const connection of closingServer.connections) connection.close()
    await new Promise<void>((resolve) => closingServer.close(resolve))
  }
  return { recipients, listen, cut }
}

export const cutMailServer: Step = {
  name: 'interrupt the mail server, and restore it',
  run: async (installation, print) => {
    const folders = installation.createFolders('mail')
    const port = await findFreePort()
    const smtpServer = createMailServer()
    await smtpServer.listen(port)
    const socketParent = await installation.serve(folders, { SMTP_URL: `smtp://127.0.0.1:${port}` })
    const expectedRecipients: string[] = []
    const register = async (from: number): Promise<void> => {
      for (let n = from; n < from + 5; n += 1) {
        await registerOne(socketParent.url, n, FREE_EVENT_ID)
        expectedRecipients.push(`asha${n * 3 + 1}@example.org`)
      }
    }
    const countQueued = async (): Promise<number | undefined> =>
      (await readMetrics(socketParent.url)).get('rollcall_mails{is="queued"}')
    await register(1)
    await waitUntil('five emails', 60, () => smtpServer.recipients.length === 5)
    print('5 delegates register, and 5 emails are accepted')
    await smtpServer.cut()
    await register(11)
    await waitUntil('a log message', 60, () =>
      socketParent.readOutput().includes('cannot be reached; emails stay queued'),
    )
    expectSame('queued emails', await countQueued(), 5)
    print(
      'interrupted: 5 more delegates register and get responses, 5 emails are queued, and the log states the cause',
    )
    await smtpServer.listen(port)
    const seconds = await waitUntil('all emails', 120, () => smtpServer.recipients.length >= 10)
    await waitUntil('an empty queue', 30, async () => (await countQueued()) === 0)
    expectSame(
      'the recipients of emails',
      smtpServer.recipients.toSorted(),
      expectedRecipients.toSorted(),
    )
    print(`restored: ${seconds.toFixed(0)} s later, all 10 delegates have one email each`)
    await socketParent.close()
    await smtpServer.cut()
  },
}

export const cutGateway: Step = {
  name: 'interrupt the gateway, and restore it',
  run: async (installation, print) => {
    const folders = installation.createFolders('gateway')
    const gatewayFolder = installation.createFolder('gateway-own')
    const [key, cert] = [join(gatewayFolder, 'key.pem'), join(gatewayFolder, 'cert.pem')]
    const opensslArgs = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost`
    const opensslResult = spawnSync(
      'openssl',
      opensslArgs.split(' ').concat('-keyout', key, '-out', cert),
    )
    if (opensslResult.status !== 0) {
      print('openssl is not installed here, and a gateway needs a certificate: not tested')
      return
    }
    chmodSync(cert, 0o644)
    const [port, plainPort] = [await findFreePort(), await findFreePort()]
    const account = createSandboxAccount('sample')
    let serverUrl = ''
    const sandbox = openAirpaySimulator({
      dataDir: gatewayFolder,
      accounts: () => [account],
      returnUrl: () => `${serverUrl}/api/payment/return/`,
      webhookUrl: () => `${serverUrl}/api/payment/webhook/`,
      clock: () => instant(Date.now()),
      log: { info: () => {}, warn: () => {}, error: () => {} },
    })
    const gatewayPort = await openSimulatorPort({
      port: plainPort,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:1',
      addRoutes: sandbox.addRoutes,
    })
    sandbox.start(gatewayPort.origins)
    /**
     * Opens an https proxy in front of the gateway, because the gateways file requires https. Returns a function that
     * closes it.
     */
    const openHttpsProxy = async (): Promise<() => Promise<void>> => {
      const httpsProxy = createServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (incoming, outgoing) => {
          const { method = 'GET', url = '/', headers } = incoming
          const forwarded = request(
            `http://127.0.0.1:${plainPort}${url}`,
            { method, headers: { ...headers, connection: 'close' } },
            (answer) => {
              outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
              answer.pipe(outgoing)
            },
          )
          incoming.pipe(forwarded)
        },
      )
      httpsProxy.listen(port, '127.0.0.1')
      await once(httpsProxy, 'listening')
      return async () => {
        httpsProxy.closeAllConnections()
        await new Promise((resolve) => httpsProxy.close(resolve))
      }
    }
    const file = join(folders.eventsDir, '_shared', 'gateways.yaml')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(
        /https:\/\/[a-z]+\.airpay[a-z.]+/g,
        `https://localhost:${port}`,
      ),
    )
    let closeProxy = await openHttpsProxy()
    const smtpServer = createMailServer()
    const smtpPort = await findFreePort()
    await smtpServer.listen(smtpPort)
    const socketParent = await installation.serve(folders, {
      NODE_EXTRA_CA_CERTS: cert,
      SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    })
    serverUrl = socketParent.url
    /** Registers a delegate, opens the gateway's page, and returns the order id. */
    const openGatewayPage = async (n: number): Promise<string> => {
      const { status, text } = await sendOnce(socketParent.url, createLoadRequest(n * 3 + 1))
      expectSame('registering', status, 201)
      const { payment_data: data } = JSON.parse(text) as {
        readonly payment_data: Record<string, string>
      }
      const gatewayPage = await fetch(getAirpaySimulatorAddresses(gatewayPort.origins).pay, {
        method: 'POST',
        body: new URLSearchParams(buildGatewayForm(data)),
        redirect: 'manual',
      })
      expectSame('the hand-off', gatewayPage.status, 303)
      return data['orderid'] ?? ''
    }
    const readPayment = (orderId: string): Readonly<Record<string, unknown>> =>
      readRows(
        join(folders.dataDir, 'rollcall.db'),
        `SELECT status, asks FROM payments WHERE order_id = '${orderId}'`,
      )[0] ?? {}
    const isPaid = (orderId: string): boolean => readPayment(orderId)['status'] === 'success'
    const firstOrder = await openGatewayPage(1)
    await sandbox.runAction(firstOrder, 'pay')
    await waitUntil('paid', 60, () => isPaid(firstOrder))
    print('a delegate registers and pays successfully')
    const secondOrder = await openGatewayPage(2)
    await closeProxy()
    await sandbox.runAction(secondOrder, 'pay')
    const thirdResponse = await sendOnce(socketParent.url, createLoadRequest(3 * 3 + 1))
    expectSame(
      'the status of a registration while the gateway is interrupted',
      thirdResponse.status,
      201,
    )
    await waitUntil(
      'a status query by the server',
      60,
      () => Number(readPayment(secondOrder)['asks']) > 0,
    )
    expectSame(
      'the payment made while the gateway is interrupted',
      readPayment(secondOrder)['status'],
      'pending',
    )
    print(
      'interrupted: a delegate pays, the server cannot query the payment, which stays pending; another delegate registers and gets a response',
    )
    closeProxy = await openHttpsProxy()
    const seconds = await waitUntil('paid', 240, () => isPaid(secondOrder))
    await waitUntil(
      'the email of the payer',
      60,
      () => smtpServer.recipients.filter((to) => to === 'asha7@example.org').length === 1,
    )
    print(`restored: ${seconds.toFixed(0)} s later, the payment succeeds, with one email`)
    await socketParent.close()
    await closeProxy()
    await sandbox.close()
    await gatewayPort.close()
    await smtpServer.cut()
  },
}

export const breakEventFile: Step = {
  name: 'break an event file, and restart',
  run: async (installation, print) => {
    const folders = installation.createFolders('spoilt')
    const file = join(folders.eventsDir, `${PAID_EVENT_ID}.yaml`)
    const socketParent = await installation.serve(folders)
    const acceptedNumbers = [await registerOne(socketParent.url, 1)]
    writeFileSync(file, buildOpenEvent(PAID_EVENT_ID, 'airpay').replace('venue:', 'vneue:'))
    expectSame('the exit status of the server', await socketParent.stop(), 0)
    socketParent.start()
    await socketParent.waitUntilServing()
    acceptedNumbers.push(
      await registerOne(socketParent.url, 2),
      await registerOne(socketParent.url, 3, FREE_EVENT_ID),
    )
    const health = await readHealth(socketParent.url)
    if (!health.startsWith('200 degraded')) throw new Error(`/healthz reports ${health}`)
    const office = await openOffice(socketParent.url)
    const { data } = JSON.parse(await office('/admin/dashboard/stats/')) as {
      readonly data: { readonly event_files: readonly string[] }
    }
    expectSame('the message in the office', data.event_files.length, 1)
    print(
      `restarted with an error in one file: both events accept registrations; /healthz: ${health}`,
    )
    writeFileSync(file, buildOpenEvent(PAID_EVENT_ID, 'airpay'))
    const seconds = await waitUntil('a healthy state', 60, async () =>
      (await readHealth(socketParent.url)).startsWith('200 good'),
    )
    expectSame('the stored registrations', readRegNos(folders), acceptedNumbers.toSorted())
    print(`corrected: healthy again after ${seconds.toFixed(0)} s, without a restart`)
    await socketParent.close()
  },
}
