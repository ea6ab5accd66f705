/** Steps about one server: started under the unit's settings, stopped in each way, started again behind a proxy. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../browser/serve.ts'
import { asking, askOnce } from '../load.ts'
import { halfSent, operate } from '../operator.ts'
import type { Operated } from '../operator.ts'
import { asksOf, numbersIn, registerOne, same, until } from './installation.ts'
import type { Place } from './installation.ts'
import type { Step } from './step.ts'
import { USER_ID } from './systemd-unit.ts'

export const started: Step = {
  name: 'start under the settings of the unit',
  run: async (place, say) => {
    say(place.confinement.said)
    const folders = place.folders('started')
    const began = performance.now()
    const held = await place.serve(folders)
    say(`serves after ${((performance.now() - began) / 1000).toFixed(1)} s`)
    const pid = await held.serving()
    const [, user] = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    if (place.confinement.isOtherUser) same('its user', user, String(USER_ID))
    const root = readFileSync(`/proc/${pid}/mounts`, 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === '/')
    if (place.confinement.isReadOnly && !/ ro,/.test(root ?? ''))
      throw new Error(`its root is ${root}`)
    say(
      `process ${pid} of user ${user}, its root: ${root?.split(' ').slice(2, 4).join(' ').slice(0, 30)}`,
    )
    const regNo = await registerOne(held.url, 1)
    same('what is stored', numbersIn(folders), [regNo])
    const modes = ['', 'rollcall.db'].map((name) =>
      (statSync(join(folders.dataDir, name)).mode & 0o777).toString(8),
    )
    same('the modes of DATA_DIR and the database', modes, ['700', '600'])
    say(`${regNo} is registered; DATA_DIR is ${modes[0]}, the database ${modes[1]}`)
    const { status, said } = await place.rollcall(folders, ['doctor'], [], {
      PORT: String(held.port),
    })
    const counts = Object.entries(
      Object.groupBy(said.split('\n'), (line) => line.split(' ')[0] ?? ''),
    )
    say(
      `doctor (status ${status}): ${counts.map(([is, lines]) => `${lines?.length} ${is}`).join(', ')}`,
    )
    for (const line of said.split('\n').filter((one) => !one.startsWith('good'))) say(`  ${line}`)
    same('the status of a stop', await held.stop(), 0)
    await held.close()
    say('stopped with 0')
  },
}

type Way = { readonly name: string; tell(server: Operated): void }
const signals = ['SIGTERM', 'SIGINT'] as const
const WAYS: readonly Way[] = [
  ...signals.flatMap((signal): Way[] => [
    { name: `${signal} to the process`, tell: ({ pid }) => void process.kill(pid, signal) },
    { name: `${signal} to its group`, tell: ({ pid }) => void process.kill(-pid, signal) },
    {
      name: `${signal} to the process and to its group`,
      tell: ({ pid }) => {
        process.kill(pid, signal)
        process.kill(-pid, signal)
      },
    },
  ]),
  {
    name: 'SIGHUP, then SIGTERM',
    tell: ({ pid }) => {
      process.kill(pid, 'SIGHUP')
      process.kill(pid, 'SIGTERM')
    },
  },
]

export const stopped: Step = {
  name: 'stop by each signal in each way, with a request half sent',
  run: async (place, say) => {
    const folders = place.folders('stopped')
    const registered: string[] = []
    for (const [at, { name, tell }] of WAYS.entries()) {
      const server = await operate(folders, place.variables, place.command(folders))
      const { body, path } = asksOf(at * 3 + 1)
      const half = await halfSent(server, path, JSON.parse(String(body)))
      tell(server)
      await until(`${name}: stopping`, 30, () => server.printed().includes('"message":"stopping"'))
      const answer = await half.finish()
      same(`${name}: the answer`, answer.slice(9, 12), '201')
      registered.push(/"reg_no":"(\w+)"/.exec(answer)?.[1] ?? '')
      same(`${name}: the status`, await server.ended, 0)
      same(`${name}: what is stored`, numbersIn(folders), registered.toSorted())
      say(`${name}: answered 201, ended with 0, ${registered.length} stored`)
    }
  },
}

type Proxy = { readonly name: string; start(place: Place, port: number, to: number): Begun }
type Begun = { stop(): void }

const begin = (command: string, args: readonly string[], home: string): Begun => {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  return { stop: () => void child.kill('SIGTERM') }
}
const isThere = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0

/** The files of deploy/ as they are, but for certificate, ports and the places of logs. */
const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    start: (place, port, to) => {
      const folder = place.folder('nginx')
      const text = readFileSync(join(place.release, 'deploy', 'nginx.conf'), 'utf8')
        .replace(/server \{\n {4}listen 80;[^]*?\n\}\n/, '')
        .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
        .replaceAll(/^ *ssl_.*\n/gm, '')
        .replace('/var/log/nginx', folder)
        .replace('127.0.0.1:3000', `127.0.0.1:${to}`)
      const file = join(folder, 'nginx.conf')
      writeFileSync(
        file,
        `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nworker_processes 1;\nevents {}\nhttp {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};\n`).join('')}${text}\n}\n`,
      )
      return begin('nginx', ['-c', file, '-e', join(folder, 'error.log')], folder)
    },
  },
  {
    name: 'caddy',
    start: (place, port, to) => {
      const folder = place.folder('caddy')
      const text = readFileSync(join(place.release, 'deploy', 'Caddyfile'), 'utf8')
        .replace('register.example.org {', `http://127.0.0.1:${port} {`)
        .replace('127.0.0.1:3000', `127.0.0.1:${to}`)
      const file = join(folder, 'Caddyfile')
      writeFileSync(
        file,
        `{\n\tadmin off\n\tstorage file_system ${folder}\n\tlog {\n\t\toutput file ${folder}/log\n\t}\n}\n${text}`,
      )
      return begin('caddy', ['run', '--adapter', 'caddyfile', '--config', file], folder)
    },
  },
]
const RESTARTS = 3
const CLIENTS = 12

export const restarted: Step = {
  name: 'restart behind a proxy under load',
  run: async (place, say) => {
    for (const { name, start } of PROXIES) {
      if (!isThere(name)) {
        say(`${name} is not installed here: not seen`)
        continue
      }
      const folders = place.folders(`behind-${name}`)
      const held = await place.serve(folders)
      const port = await freePort()
      const proxy = start(place, port, held.port)
      const url = `http://127.0.0.1:${port}`
      try {
        await until(`${name} passes on`, 30, () =>
          askOnce(url, { path: '/healthz' }).then(
            ({ status }) => status === 200,
            () => false,
          ),
        )
        const load = asking(url, { clients: CLIENTS, asks: asksOf })
        for (let n = 0; n < RESTARTS; n += 1) {
          await load.answered(load.count() + 60)
          same('the status of a stop', await held.stop(), 0)
          held.start()
          await held.serving()
        }
        await load.answered(load.count() + 60)
        const { statuses, regNos, failed } = await load.end()
        same(`${name}: what failed`, failed, [])
        same(`${name}: what is stored`, numbersIn(folders), regNos.toSorted())
        say(
          `${name}: ${RESTARTS} restarts, ${load.count()} requests of ${CLIENTS} clients (${JSON.stringify(statuses)}), none failed, ${regNos.length} registered and stored`,
        )
      } finally {
        proxy.stop()
        await held.close()
      }
    }
  },
}
