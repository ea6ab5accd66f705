/** Steps that test one server: start with the unit's settings, stop by signals, restart behind a proxy. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../../browser/serve.ts'
import { startLoad, sendOnce } from '../load.ts'
import { sendHalf, startServerProcess } from '../operator.ts'
import type { RunningServer } from '../operator.ts'
import {
  createLoadRequest,
  readRegNos,
  registerOne,
  expectSame,
  waitUntil,
} from './installation.ts'
import type { Installation } from './installation.ts'
import type { Step } from './step.ts'
import { USER_ID } from './systemd-unit.ts'

export const startUnderUnit: Step = {
  name: "start with the unit's settings",
  run: async (installation, print) => {
    print(installation.confinement.description)
    const folders = installation.createFolders('started')
    const startedAt = performance.now()
    const socketParent = await installation.serve(folders)
    print(`serves after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
    const pid = await socketParent.waitUntilServing()
    const [, user] = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    if (installation.confinement.isOtherUser)
      expectSame('the user of the process', user, String(USER_ID))
    const root = readFileSync(`/proc/${pid}/mounts`, 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === '/')
    if (installation.confinement.isReadOnly && !/ ro,/.test(root ?? ''))
      throw new Error(`its root file system is not read-only: ${root}`)
    print(
      `process ${pid} of user ${user}, its root file system: ${root?.split(' ').slice(2, 4).join(' ').slice(0, 30)}`,
    )
    const regNo = await registerOne(socketParent.url, 1)
    expectSame('the stored registrations', readRegNos(folders), [regNo])
    const fileModes = ['', 'rollcall.db'].map((name) =>
      (statSync(join(folders.dataDir, name)).mode & 0o777).toString(8),
    )
    expectSame('the modes of DATA_DIR and the database', fileModes, ['700', '600'])
    print(`${regNo} is registered; DATA_DIR has mode ${fileModes[0]}, the database ${fileModes[1]}`)
    const { status, output: doctorOutput } = await installation.runRollcall(
      folders,
      ['doctor'],
      [],
      {
        PORT: String(socketParent.port),
      },
    )
    const levelCounts = Object.entries(
      Object.groupBy(doctorOutput.split('\n'), (line) => line.split(' ')[0] ?? ''),
    )
    print(
      `doctor (status ${status}): ${levelCounts.map(([level, lines]) => `${lines?.length} ${level}`).join(', ')}`,
    )
    for (const line of doctorOutput.split('\n').filter((text) => !text.startsWith('good')))
      print(`  ${line}`)
    expectSame('the exit status of the server', await socketParent.stop(), 0)
    await socketParent.close()
    print('stopped with exit status 0')
  },
}

type StopMethod = { readonly name: string; notify(server: RunningServer): void }
const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const STOP_METHODS: readonly StopMethod[] = [
  ...SIGNALS.flatMap((signal): StopMethod[] => [
    { name: `${signal} to the process`, notify: ({ pid }) => void process.kill(pid, signal) },
    { name: `${signal} to its group`, notify: ({ pid }) => void process.kill(-pid, signal) },
    {
      name: `${signal} to the process and to its group`,
      notify: ({ pid }) => {
        process.kill(pid, signal)
        process.kill(-pid, signal)
      },
    },
  ]),
  {
    name: 'SIGHUP, then SIGTERM',
    notify: ({ pid }) => {
      process.kill(pid, 'SIGHUP')
      process.kill(pid, 'SIGTERM')
    },
  },
]

export const stopBySignals: Step = {
  name: 'stop by each signal, sent in each way, while a request is half sent',
  run: async (installation, print) => {
    const folders = installation.createFolders('stopped')
    const registeredNumbers: string[] = []
    for (const [index, { name, notify }] of STOP_METHODS.entries()) {
      const server = await startServerProcess(
        folders,
        installation.variables,
        installation.buildCommand(folders),
      )
      const { body, path } = createLoadRequest(index * 3 + 1)
      const halfRequest = await sendHalf(server, path, JSON.parse(String(body)))
      notify(server)
      await waitUntil(`${name}: stopping`, 30, () =>
        server.readOutput().includes('"message":"stopping"'),
      )
      const answer = await halfRequest.finish()
      expectSame(`${name}: the response status`, answer.slice(9, 12), '201')
      registeredNumbers.push(/"reg_no":"(\w+)"/.exec(answer)?.[1] ?? '')
      expectSame(`${name}: the exit status`, await server.exitStatus, 0)
      expectSame(
        `${name}: the stored registrations`,
        readRegNos(folders),
        registeredNumbers.toSorted(),
      )
      print(`${name}: responded with 201, exited with 0, ${registeredNumbers.length} stored`)
    }
  },
}

type Proxy = {
  readonly name: string
  start(installation: Installation, port: number, serverPort: number): StartedProxy
}
type StartedProxy = { stop(): void }

const startProxyCommand = (
  command: string,
  args: readonly string[],
  home: string,
): StartedProxy => {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  return { stop: () => void child.kill('SIGTERM') }
}
const isInstalled = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0

/** Proxies that use the files in deploy/, with only the certificate, ports and log paths changed. */
const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    start: (installation, port, serverPort) => {
      const folder = installation.createFolder('nginx')
      const text = readFileSync(join(installation.release, 'deploy', 'nginx.conf'), 'utf8')
        .replace(/server \{\n {4}listen 80;[^]*?\n\}\n/, '')
        .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
        .replaceAll(/^ *ssl_.*\n/gm, '')
        .replace('/var/log/nginx', folder)
        .replace('127.0.0.1:3000', `127.0.0.1:${serverPort}`)
      const file = join(folder, 'nginx.conf')
      writeFileSync(
        file,
        `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nworker_processes 1;\nevents {}\nhttp {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((prefix) => `${prefix}_temp_path ${folder}/${prefix};\n`).join('')}${text}\n}\n`,
      )
      return startProxyCommand('nginx', ['-c', file, '-e', join(folder, 'error.log')], folder)
    },
  },
  {
    name: 'caddy',
    start: (installation, port, serverPort) => {
      const folder = installation.createFolder('caddy')
      const text = readFileSync(join(installation.release, 'deploy', 'Caddyfile'), 'utf8')
        .replace('register.example.org {', `http://127.0.0.1:${port} {`)
        .replace('127.0.0.1:3000', `127.0.0.1:${serverPort}`)
      const file = join(folder, 'Caddyfile')
      writeFileSync(
        file,
        `{\n\tadmin off\n\tstorage file_system ${folder}\n\tlog {\n\t\toutput file ${folder}/log\n\t}\n}\n${text}`,
      )
      return startProxyCommand('caddy', ['run', '--adapter', 'caddyfile', '--config', file], folder)
    },
  },
]
const RESTART_COUNT = 3
const CLIENT_COUNT = 12

export const restartUnderLoad: Step = {
  name: 'restart behind a proxy under load',
  run: async (installation, print) => {
    for (const { name, start } of PROXIES) {
      if (!isInstalled(name)) {
        print(`${name} is not installed here: not tested`)
        continue
      }
      const folders = installation.createFolders(`behind-${name}`)
      const socketParent = await installation.serve(folders)
      const port = await findFreePort()
      const proxy = start(installation, port, socketParent.port)
      const url = `http://127.0.0.1:${port}`
      try {
        await waitUntil(`${name} to forward requests`, 30, () =>
          sendOnce(url, { path: '/healthz' }).then(
            ({ status }) => status === 200,
            () => false,
          ),
        )
        const clientLoad = startLoad(url, {
          clients: CLIENT_COUNT,
          createRequest: createLoadRequest,
        })
        for (let n = 0; n < RESTART_COUNT; n += 1) {
          await clientLoad.waitForResponses(clientLoad.count() + 60)
          expectSame('the exit status of the server', await socketParent.stop(), 0)
          socketParent.start()
          await socketParent.waitUntilServing()
        }
        await clientLoad.waitForResponses(clientLoad.count() + 60)
        const { statuses, regNos, failures } = await clientLoad.end()
        expectSame(`${name}: the failed requests`, failures, [])
        expectSame(`${name}: the stored registrations`, readRegNos(folders), regNos.toSorted())
        print(
          `${name}: ${RESTART_COUNT} restarts, ${clientLoad.count()} requests from ${CLIENT_COUNT} clients (${JSON.stringify(statuses)}), none failed, ${regNos.length} registered and stored`,
        )
      } finally {
        proxy.stop()
        await socketParent.close()
      }
    }
  },
}
