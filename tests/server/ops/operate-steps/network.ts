/** Steps about what a server needs and may lose: room on the disk, the mail server, the gateway, a clean event file. */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { request } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { instant } from '../../../../engine/index.ts'
import {
  openSandbox,
  sandboxAccount,
} from '../../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { handOffOf } from '../../../attacks/gateway.ts'
import { freePort } from '../../../browser/serve.ts'
import { askOnce } from '../load.ts'
import {
  asksOf,
  figuresOf,
  FREE,
  numbersIn,
  officeOf,
  openEvent,
  PAID,
  registerOne,
  rowsOf,
  same,
  until,
} from './installation.ts'
import type { Step } from './step.ts'
import { USER_ID } from './systemd-unit.ts'

const DISK_MB = 100

const healthOf = async (url: string): Promise<string> => {
  const { status, text } = await askOnce(url, {
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

export const filled: Step = {
  name: 'fill the disk, and free it',
  run: async (place, say) => {
    const folders = place.folders('disk')
    const { dataDir } = folders
    if (
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', dataDir]).status !== 0
    ) {
      say('a disk of its own is not to be had here without root: not seen')
      return
    }
    try {
      chmodSync(dataDir, 0o700)
      if (place.confinement.isOtherUser) chownSync(dataDir, USER_ID, USER_ID)
      const held = await place.serve(folders)
      const taken = [await registerOne(held.url, 1)]
      const ballast = join(dataDir, 'ballast')
      const free = (): number => {
        const { bavail, bsize } = statfsSync(dataDir)
        return bavail * bsize
      }
      try {
        writeFileSync(ballast, Buffer.alloc(free()))
      } catch {
        // It takes what there is.
      }
      say(`the disk is full: ${free()} bytes are free`)
      const heard: number[] = []
      for (let n = 2; n < 60; n += 1) {
        const { status, text } = await askOnce(held.url, asksOf(n * 3 + 1))
        heard.push(status)
        if (status === 201) taken.push((JSON.parse(text) as { readonly reg_no: string }).reg_no)
      }
      const refused = heard.filter((status) => status !== 201)
      same('what those hear who are not taken', [...new Set(refused)], [503])
      const health = await healthOf(held.url)
      if (!health.startsWith('503')) throw new Error(`/healthz says ${health}`)
      const lines = held.printed().match(/requests are refused/g)?.length ?? 0
      if (lines === 0) throw new Error('the log says nothing')
      say(
        `of ${heard.length} who register ${heard.length - refused.length} fit into what was there and ${refused.length} hear 503; ${lines} lines in the log; /healthz: ${health}`,
      )
      rmSync(ballast)
      taken.push(await registerOne(held.url, 100))
      const seconds = await until('/healthz is well again', 60, async () =>
        (await healthOf(held.url)).startsWith('200'),
      )
      same('what is stored', numbersIn(folders), taken.toSorted())
      say(
        `freed: the next who registers is taken, /healthz is well after ${seconds.toFixed(0)} s, all ${taken.length} who were answered are stored`,
      )
      await held.close()
    } finally {
      spawnSync('umount', [dataDir])
    }
  },
}

/** A mail server that can be cut off, and what it has taken: recipient by recipient. */
function mailServer() {
  const taken: string[] = []
  let server: SMTPServer | null = null
  const begin = async (port: number): Promise<void> => {
    server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, session, done) => {
        stream.on('end', () => {
          taken.push(...session.envelope.rcptTo.map(({ address }) => address))
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
    const old = server
    server = null
    if (old === null) return
    for (const connection of old.connections) connection.close()
    await new Promise<void>((resolve) => old.close(resolve))
  }
  return { taken, begin, cut }
}

export const mailsCut: Step = {
  name: 'cut the mail server, and bring it back',
  run: async (place, say) => {
    const folders = place.folders('mail')
    const port = await freePort()
    const smtp = mailServer()
    await smtp.begin(port)
    const held = await place.serve(folders, { SMTP_URL: `smtp://127.0.0.1:${port}` })
    const wanted: string[] = []
    const register = async (from: number): Promise<void> => {
      for (let n = from; n < from + 5; n += 1) {
        await registerOne(held.url, n, FREE)
        wanted.push(`asha${n * 3 + 1}@example.org`)
      }
    }
    const queued = async (): Promise<number | undefined> =>
      (await figuresOf(held.url)).get('rollcall_mails{is="queued"}')
    await register(1)
    await until('five mails', 60, () => smtp.taken.length === 5)
    say('5 register, 5 mails are taken')
    await smtp.cut()
    await register(11)
    await until('the log says it', 60, () =>
      held.printed().includes('cannot be reached; emails stay queued'),
    )
    same('mails that wait', await queued(), 5)
    say('cut: 5 more register and are answered, 5 mails wait, the log says why')
    await smtp.begin(port)
    const seconds = await until('all mails', 120, () => smtp.taken.length >= 10)
    await until('nothing waits', 30, async () => (await queued()) === 0)
    same('who has got a mail', smtp.taken.toSorted(), wanted.toSorted())
    say(`back: all 10 have one mail each, ${seconds.toFixed(0)} s later`)
    await held.close()
    await smtp.cut()
  },
}

export const gatewayCut: Step = {
  name: 'cut the gateway, and bring it back',
  run: async (place, say) => {
    const folders = place.folders('gateway')
    const own = place.folder('gateway-own')
    const [key, cert] = [join(own, 'key.pem'), join(own, 'cert.pem')]
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost`
    const made = spawnSync('openssl', words.split(' ').concat('-keyout', key, '-out', cert))
    if (made.status !== 0) {
      say('openssl is not installed here, and a gateway needs a certificate: not seen')
      return
    }
    chmodSync(cert, 0o644)
    const [port, plain] = [await freePort(), await freePort()]
    const account = sandboxAccount('sample')
    let server = ''
    const sandbox = await openSandbox({
      port: plain,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:1',
      dataDir: own,
      accounts: () => [account],
      returnUrl: () => `${server}/api/payment/return/`,
      noticeUrl: () => `${server}/api/payment/webhook/`,
      clock: () => instant(Date.now()),
      log: { info: () => {}, warn: () => {}, error: () => {} },
    })
    /** What stands before it, as the file of gateways wants it: https. */
    const open = async (): Promise<() => Promise<void>> => {
      const front = createServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (incoming, outgoing) => {
          const { method = 'GET', url = '/', headers } = incoming
          const onward = request(
            `http://127.0.0.1:${plain}${url}`,
            { method, headers: { ...headers, connection: 'close' } },
            (answer) => {
              outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
              answer.pipe(outgoing)
            },
          )
          incoming.pipe(onward)
        },
      )
      front.listen(port, '127.0.0.1')
      await once(front, 'listening')
      return async () => {
        front.closeAllConnections()
        await new Promise((resolve) => front.close(resolve))
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
    let close = await open()
    const smtp = mailServer()
    const smtpPort = await freePort()
    await smtp.begin(smtpPort)
    const held = await place.serve(folders, {
      NODE_EXTRA_CA_CERTS: cert,
      SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    })
    server = held.url
    /** Registers, and stands at the gateway; answers the order. */
    const handedOff = async (n: number): Promise<string> => {
      const { status, text } = await askOnce(held.url, asksOf(n * 3 + 1))
      same('registering', status, 201)
      const { payment_data: data } = JSON.parse(text) as {
        readonly payment_data: Record<string, string>
      }
      const placed = await fetch(sandbox.addresses.pay, {
        method: 'POST',
        body: new URLSearchParams(handOffOf(data)),
        redirect: 'manual',
      })
      same('the hand-off', placed.status, 303)
      return data['orderid'] ?? ''
    }
    const paymentOf = (orderId: string): Readonly<Record<string, unknown>> =>
      rowsOf(
        join(folders.dataDir, 'rollcall.db'),
        `SELECT status, asks FROM payments WHERE order_id = '${orderId}'`,
      )[0] ?? {}
    const isPaid = (orderId: string): boolean => paymentOf(orderId)['status'] === 'success'
    const first = await handedOff(1)
    await sandbox.runAction(first, 'pay')
    await until('paid', 60, () => isPaid(first))
    say('one registers, pays, and is a success')
    const second = await handedOff(2)
    await close()
    await sandbox.runAction(second, 'pay')
    const third = await askOnce(held.url, asksOf(3 * 3 + 1))
    same('registering while it is cut', third.status, 201)
    await until('the server has asked', 60, () => Number(paymentOf(second)['asks']) > 0)
    same('who paid while it is cut', paymentOf(second)['status'], 'pending')
    say(
      'cut: somebody pays, the server cannot ask, the payment stays pending; another registers and is answered',
    )
    close = await open()
    const seconds = await until('paid', 240, () => isPaid(second))
    await until(
      'the mail of who paid',
      60,
      () => smtp.taken.filter((to) => to === 'asha7@example.org').length === 1,
    )
    say(`back: a success ${seconds.toFixed(0)} s later, with one mail`)
    await held.close()
    await close()
    await sandbox.close()
    await smtp.cut()
  },
}

export const spoilt: Step = {
  name: 'spoil an event file, and restart',
  run: async (place, say) => {
    const folders = place.folders('spoilt')
    const file = join(folders.eventsDir, `${PAID}.yaml`)
    const held = await place.serve(folders)
    const taken = [await registerOne(held.url, 1)]
    writeFileSync(file, openEvent(PAID, 'airpay').replace('venue:', 'vneue:'))
    same('the status of a stop', await held.stop(), 0)
    held.start()
    await held.serving()
    taken.push(await registerOne(held.url, 2), await registerOne(held.url, 3, FREE))
    const health = await healthOf(held.url)
    if (!health.startsWith('200 degraded')) throw new Error(`/healthz says ${health}`)
    const office = await officeOf(held.url)
    const { data } = JSON.parse(await office('/admin/dashboard/stats/')) as {
      readonly data: { readonly event_files: readonly string[] }
    }
    same('what the office says', data.event_files.length, 1)
    say(`restarted with a file with an error: both events take registrations; /healthz: ${health}`)
    writeFileSync(file, openEvent(PAID, 'airpay'))
    const seconds = await until('well again', 60, async () =>
      (await healthOf(held.url)).startsWith('200 good'),
    )
    same('what is stored', numbersIn(folders), taken.toSorted())
    say(`mended: well again after ${seconds.toFixed(0)} s, without a restart`)
    await held.close()
  },
}
