/** Runs rounds of faults for two servers that share a PostgreSQL database: `npm run faults [ROUNDS]`. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../browser/serve.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import { FAULTS, runRounds } from './two-server-rounds.ts'
import { openProxy } from './two-servers.ts'
import type { Proxy } from './two-servers.ts'
import { seed, createRandom } from './check-registrations.ts'

// The servers run behind nginx, or behind the tests' own proxy if nginx is not installed. CRASH_SEED determines the
// faults in each round; there are ten rounds by default. Prints a report; exits with 1 if there are problems.

const CLIENT_COUNT = 64
const MIN_REGISTRATIONS = 100
const MIN_EMAILS = 50
const POLL_MS = 50

/** Formats nginx settings as in docs/operation/postgresql.md, without TLS and host names. */
const formatSettings = (folder: string, port: number, ports: readonly number[]): string => `
daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream rollcall {
${ports.map((port) => `    server 127.0.0.1:${port} max_fails=1 fail_timeout=2s;`).join('\n')}
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 25m;
    location / {
      proxy_pass http://rollcall;
      proxy_http_version 1.1;
      proxy_set_header Connection close;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_connect_timeout 2s;
      proxy_next_upstream error timeout http_502;
    }
  }
}
`

async function startNginx(ports: readonly number[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-nginx-'))
  const port = await findFreePort()
  writeFileSync(join(folder, 'nginx.conf'), formatSettings(folder, port, ports))
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'inherit',
  })
  const url = `http://127.0.0.1:${port}`
  while (
    !(await fetch(`${url}/robots.txt`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await pause(POLL_MS)
  return {
    url,
    close: async () => {
      const end = once(child, 'exit')
      child.kill('SIGQUIT')
      await end
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

if (!hasPostgres) throw new Error('PostgreSQL is not installed')
const roundCount = Number(process.argv[2] ?? 10)
const random = createRandom(seed)
const faults = Array.from(
  { length: roundCount },
  () => FAULTS[Math.floor(random() * FAULTS.length)] ?? 'version',
)
const hasNginx = spawnSync('nginx', ['-v']).status === 0
console.log(
  `${roundCount} rounds, ${CLIENT_COUNT} clients, behind ${hasNginx ? 'nginx' : "the tests' own proxy"}, CRASH_SEED=${seed}`,
)
const postgres = await startPostgres()
try {
  const {
    problems,
    results,
    emailCount,
    registeredCount: registered,
  } = await runRounds({
    faults,
    clientCount: CLIENT_COUNT,
    minRegistrations: MIN_REGISTRATIONS,
    minEmails: MIN_EMAILS,
    postgres,
    databaseName: 'long',
    proxy: hasNginx ? startNginx : openProxy,
    print: (line) => console.log(line),
  })
  console.log(
    `${registered} registered, ${results.confirmed.length} confirmed, ${results.soldOut.length} were told that the hall is full, ${results.priceChanged.length} saw the price change, ${emailCount} emails`,
  )
  for (const problem of problems.slice(0, 20)) console.log(`wrong: ${problem}`)
  console.log(problems.length === 0 ? 'no problems' : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await postgres.stop()
}
