/**
 * Reads process.env (the only module that does).
 * Every variable of the table in docs is read once; each mistake is reported in one sentence.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { err, ok, readInstant } from '../../engine/index.ts'
import type { EventConfig, Result } from '../../engine/index.ts'
import type { Account, Environment, GatewayMode } from '../dependencies.ts'

export type Variables = Readonly<Record<string, string | undefined>>

const gatewayModes = ['sandbox', 'airpay-test', 'live'] as const satisfies readonly GatewayMode[]
const accountParts = ['USERNAME', 'PASSWORD', 'SECRET', 'MERCHANT_ID'] as const
const accountPattern = /^AIRPAY_(.+)_(USERNAME|PASSWORD|SECRET|MERCHANT_ID)$/
/** Names that Fastify's trustProxy accepts in addition to addresses. */
const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal']

/** A misspelt value would start a rehearsal instead of production. */
const NODE_ENVS: readonly string[] = ['production', 'development', 'test']
/** Set by an operator who wants the sandbox reachable by others, for a rehearsal with them. */
const SANDBOX_ASKED_FOR = 'no-real-money'

/** Variables that may be read from a file, by an operator who keeps secrets out of the environment. */
const SECRET_FILE =
  /^(ADMIN_PASSWORD|DATABASE_URL|SMTP_URL|METRICS_TOKEN|AIRPAY_.+_(?:USERNAME|PASSWORD|SECRET|MERCHANT_ID))_FILE$/
/** Too many to guess. */
const TOKEN_CHARACTERS_MIN = 16
/** The first of the sockets that systemd passes to a process (sd_listen_fds). */
const FIRST_SOCKET_FD = 3

/** Returns the environment of this process. */
export function environment(): Result<Environment, readonly string[]> {
  return readEnvironment(process.env)
}

/**
 * Makes libraries that are loaded from now on run in production mode (React's development build renders emails
 * slower). Call it after reading our own environment, where an unset NODE_ENV still allows the sandbox.
 */
export function setLibrariesToProduction(): void {
  process.env['NODE_ENV'] ||= 'production'
}

/**
 * Reports everything that is wrong, one sentence each. An empty variable counts as not set. `pid`: the process
 * that the variables are for.
 */
export function readEnvironment(
  variables: Variables,
  pid: number = process.pid,
): Result<Environment, readonly string[]> {
  const wrong: string[] = []
  const given = withSecrets(variables, wrong)
  const get = (name: string): string | null => {
    const text = given[name]?.trim() ?? ''
    return text === '' ? null : text
  }
  const portOf = (name: string, otherwise: number): number => {
    const text = get(name)
    if (text === null) return otherwise
    if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
    wrong.push(`${name} must be a port number from 0 to 65535, not "${text}".`)
    return otherwise
  }

  // Sockets for the process that started this one are not ours.
  const sockets = get('LISTEN_PID') === String(pid) ? Number(get('LISTEN_FDS') ?? '0') : 0
  if (sockets > 1)
    wrong.push(`LISTEN_FDS is ${sockets}: whoever listens for Rollcall may name one address.`)

  const mode = get('GATEWAY_MODE') ?? 'sandbox'
  const nodeEnv = get('NODE_ENV')
  if (nodeEnv !== null && !NODE_ENVS.includes(nodeEnv))
    wrong.push(`NODE_ENV must be ${NODE_ENVS.join(', ')} or not set, not "${nodeEnv}".`)
  // Real payments require every rule of production, whatever else was forgotten.
  const production = nodeEnv === 'production' || mode === 'live'
  const because = nodeEnv === 'production' ? 'NODE_ENV=production' : 'GATEWAY_MODE=live'
  const port = portOf('PORT', 3000)
  const host = get('HOST') ?? '127.0.0.1'
  const sandboxPort = portOf('SANDBOX_PORT', port === 0 ? 0 : port + 1)

  const publicUrl = readPublicUrl(get('PUBLIC_URL'), host, port, wrong)

  const databaseUrl = get('DATABASE_URL')
  if (databaseUrl !== null && !isOfPostgres(databaseUrl))
    wrong.push(
      'DATABASE_URL must begin with postgres:// and name a database, such as postgres://rollcall@db.example.org/rollcall. Without it the data is kept in SQLite, under DATA_DIR.',
    )

  const gatewayMode = gatewayModes.find((known) => known === mode)
  if (gatewayMode === undefined)
    wrong.push(`GATEWAY_MODE must be sandbox, airpay-test or live, not "${mode}".`)
  else if (production && gatewayMode !== 'live') {
    const cause =
      get('GATEWAY_MODE') === null ? 'is not set, which means sandbox' : `is ${gatewayMode}`
    wrong.push(`GATEWAY_MODE ${cause}, and with NODE_ENV=production only live is allowed.`)
  }

  const asked = get('PUBLIC_SANDBOX')
  if (asked !== null && asked !== SANDBOX_ASKED_FOR)
    wrong.push(`PUBLIC_SANDBOX must be ${SANDBOX_ASKED_FOR} or not set, not "${asked}".`)
  const open = [
    ['HOST', host],
    ['PUBLIC_URL', publicUrl === null ? host : new URL(publicUrl).hostname],
  ].find(([, name = '']) => !isOwnMachine(name))
  if (gatewayMode === 'sandbox' && !production && asked === null && open !== undefined)
    wrong.push(
      `${open[0]} is ${open[1]}, which others can reach, and GATEWAY_MODE is sandbox, where registering costs nothing. Set GATEWAY_MODE=live, or PUBLIC_SANDBOX=${SANDBOX_ASKED_FOR} if that is what you want.`,
    )

  const checksum = get('AIRPAY_CHECKSUM')
  if (checksum !== null && checksum !== 'A' && checksum !== 'B')
    wrong.push(`AIRPAY_CHECKSUM must be A (with the UID) or B (without it), not "${checksum}".`)

  const assumed = (get('AIRPAY_ASSUME') ?? '').split(',').map((part) => part.trim())
  for (const part of assumed)
    if (part !== '' && part !== 'currency' && part !== 'sale')
      wrong.push(`AIRPAY_ASSUME may hold currency, sale, or both with a comma, not "${part}".`)

  const limits = get('RATE_LIMITS') ?? 'on'
  if (limits !== 'on' && limits !== 'off')
    wrong.push(`RATE_LIMITS must be on or off, not "${limits}".`)
  else if (production && limits === 'off')
    wrong.push(`RATE_LIMITS=off is not allowed with ${because}.`)

  const clock = get('CLOCK')
  const clockStart = clock === null ? null : readInstant(clock)
  if (clock !== null && clockStart === null)
    wrong.push(
      `CLOCK must be a day (2026-01-25) or an instant with its offset (2026-01-25T12:00:00+05:30), not "${clock}".`,
    )
  if (clock !== null && production)
    wrong.push(`CLOCK is for rehearsals and is not allowed with ${because}.`)

  const smtpUrl = get('SMTP_URL')
  if (smtpUrl !== null && !(URL.canParse(smtpUrl) && /^smtps?:$/.test(new URL(smtpUrl).protocol))) {
    wrong.push('SMTP_URL must begin with smtp:// or smtps:// and name a host.')
  }

  const trustProxy = get('TRUST_PROXY')
  const strangers = (trustProxy ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !isProxy(part))
  if (strangers.length > 0)
    wrong.push(
      `TRUST_PROXY must list addresses such as 10.0.0.1 or 10.0.0.0/8, separated by commas; "${strangers[0]}" is none.`,
    )

  const metricsToken = get('METRICS_TOKEN')
  if (metricsToken !== null && metricsToken.length < TOKEN_CHARACTERS_MIN)
    wrong.push(
      `METRICS_TOKEN must be at least ${TOKEN_CHARACTERS_MIN} characters long: "openssl rand -hex 16" makes one.`,
    )

  const username = get('ADMIN_USERNAME') ?? 'admin'
  const accounts = readAccounts(given, get, wrong)

  if (wrong.length > 0 || gatewayMode === undefined || publicUrl === null) return err(wrong)
  return ok({
    port,
    host,
    ...(sockets === 1 ? { socketFd: FIRST_SOCKET_FD } : {}),
    publicUrl,
    dataDir: path.resolve(get('DATA_DIR') ?? 'var'),
    databaseUrl,
    eventsDir: path.resolve(get('EVENTS_DIR') ?? 'events'),
    production,
    firstAdmin: { username, password: get('ADMIN_PASSWORD') },
    smtpUrl,
    mailFrom: get('MAIL_FROM') ?? `Rollcall <no-reply@${new URL(publicUrl).hostname}>`,
    gatewayMode,
    accounts,
    ...(checksum === 'A' || checksum === 'B' ? { airpayChecksum: checksum } : {}),
    airpayAssumed: { currency: assumed.includes('currency'), sale: assumed.includes('sale') },
    rateLimits: limits === 'on',
    metricsToken,
    clockStart,
    trustProxy,
    sandboxPort,
  })
}

/**
 * Returns the folders to write a rescued database to if the data folder has no room: the cache folder that systemd
 * gives a service, whose temporary folder is removed when it stops; elsewhere the temporary folder.
 */
export function spareDirs(): readonly string[] {
  const given = process.env['CACHE_DIRECTORY']?.split(':').filter((folder) => folder !== '') ?? []
  return given.length > 0 || process.env['INVOCATION_ID'] !== undefined ? given : [tmpdir()]
}

/** Returns the name of an event file's `payment.account` in the environment: `mid-zone` → `MID_ZONE`. */
export function accountVariable(account: string, part: (typeof accountParts)[number]): string {
  return `AIRPAY_${account.toUpperCase().replaceAll('-', '_')}_${part}`
}

/** Returns the accounts that events use and the environment lacks; only the sandbox creates its own. */
export function missingAccounts(
  environment: Environment,
  events: readonly EventConfig[],
): readonly string[] {
  if (environment.gatewayMode === 'sandbox') return []
  return events.flatMap(({ id, payment }) => {
    if (payment === null || environment.accounts[accountKey(payment.account)] !== undefined)
      return []
    const names = accountParts.map((part) => accountVariable(payment.account, part))
    return [
      `Event ${id} is paid into the account "${payment.account}", so ${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be set with GATEWAY_MODE=${environment.gatewayMode}.`,
    ]
  })
}

/** Accounts are stored under the name that event files use: lower case, with `-` where the variable has `_`. */
export function accountKey(account: string): string {
  return account.toLowerCase().replaceAll('_', '-')
}

/** Returns the variables, with secrets read from the files that their `…_FILE` names. */
function withSecrets(variables: Variables, wrong: string[]): Variables {
  const given: Record<string, string | undefined> = { ...variables }
  for (const [name, file] of Object.entries(variables)) {
    const secret = SECRET_FILE.exec(name)?.[1]
    if (secret === undefined || file === undefined || file.trim() === '') continue
    if ((variables[secret]?.trim() ?? '') !== '') {
      wrong.push(`${secret} and ${name} are both set: keep one of them.`)
      continue
    }
    try {
      given[secret] = readFileSync(file.trim(), 'utf8').trim()
      if (given[secret] === '') wrong.push(`${name} is ${file}, and that file is empty.`)
    } catch {
      wrong.push(`${name} is ${file}, and that file cannot be read.`)
    }
  }
  return given
}

function isOfPostgres(text: string): boolean {
  return /^postgres(?:ql)?:\/\/[^/]*\/[^/?]/.test(text)
}

function readPublicUrl(
  text: string | null,
  host: string,
  port: number,
  wrong: string[],
): string | null {
  if (text === null) return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const url = URL.canParse(text) ? new URL(text) : null
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  ) {
    wrong.push(
      `PUBLIC_URL must be an address such as https://register.example.org, without a path, not "${text}".`,
    )
    return null
  }
  return url.origin
}

/** Returns true if a host name means this machine, so that no other machine can reach it. */
export function isOwnMachine(name: string): boolean {
  return /^(?:localhost|[\w.-]+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(name)
}

/**
 * Validates a proxy as Fastify does: a name, or an address with an optional prefix length; without one, all bits
 * count.
 */
function isProxy(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0) return PROXY_NAMES.includes(text)
  if (rest.length > 0 || address.includes('%')) return false
  if (bits === undefined) return true
  // An IPv4 address written as IPv6 counts as IPv4.
  const isShort = version === 4 || isMapped(address)
  const count = /^\d{1,3}$/.test(bits) ? Number(bits) : 0
  return count >= 1 && count <= (isShort ? 32 : 128)
}

function isMapped(address: string): boolean {
  return /^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(new URL(`http://[${address}]`).hostname)
}

function readAccounts(
  variables: Variables,
  get: (name: string) => string | null,
  wrong: string[],
): Readonly<Record<string, Account>> {
  const names = new Set(
    Object.keys(variables).flatMap((name) =>
      get(name) === null ? [] : (accountPattern.exec(name)?.[1] ?? []),
    ),
  )
  const accounts: Record<string, Account> = {}
  for (const name of names) {
    const missing = accountParts.filter((part) => get(`AIRPAY_${name}_${part}`) === null)
    if (missing.length > 0) {
      wrong.push(
        `AIRPAY_${name}_${missing.join(`, AIRPAY_${name}_`)} ${missing.length === 1 ? 'is' : 'are'} missing: an account needs USERNAME, PASSWORD, SECRET and MERCHANT_ID.`,
      )
      continue
    }
    const value = (part: (typeof accountParts)[number]): string =>
      get(`AIRPAY_${name}_${part}`) ?? ''
    const key = accountKey(name)
    accounts[key] = {
      name: key,
      username: value('USERNAME'),
      password: value('PASSWORD'),
      secret: value('SECRET'),
      merchantId: value('MERCHANT_ID'),
    }
  }
  return accounts
}
