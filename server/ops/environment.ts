/**
 * Reads process.env (the only module that does).
 * Reads each variable in docs/settings.md once, and reports each error in one sentence.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { err, isOneTypo, ok, readInstant } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'
import type { Environment, GatewayMode } from '../dependencies.ts'
import { ACCOUNT_VARIABLE_PATTERN, readAccounts } from './gateway-accounts.ts'
import { readS3Bucket } from '../storage/files/s3-bucket.ts'
import { parseDatabaseUrl } from '../storage/postgres/database-url.ts'

export type Variables = Readonly<Record<string, string | undefined>>

const GATEWAY_MODES = ['sandbox', 'airpay-test', 'live'] as const satisfies readonly GatewayMode[]
/** Names that Fastify's trustProxy accepts in addition to addresses. */
const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal']

/** The accepted values. A misspelt value would otherwise start a rehearsal instead of production. */
const NODE_ENVS: readonly string[] = ['production', 'development', 'test']
/** Operators set this value to make the sandbox reachable by others, for a rehearsal. */
const PUBLIC_SANDBOX_VALUE = 'no-real-money'

/** Matches the variables that refer to a file with a secret. The secret itself is then not in the environment. */
const SECRET_FILE_PATTERN = new RegExp(
  `^(ADMIN_PASSWORD|DATABASE_URL|SMTP_URL|METRICS_TOKEN|SECOND_FACTOR_KEY|AWS_ACCESS_KEY_ID|AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|${ACCOUNT_VARIABLE_PATTERN})_FILE$`,
)
const MAX_PORT = 65_535
/** A shorter name could easily be another program's variable. */
const MIN_CHECKED_NAME_CHARACTERS = 8
/** A shorter token could be guessed. */
const MIN_TOKEN_CHARACTERS = 16
/** Matches an address alone, or a name followed by the address in angle brackets. */
const MAIL_FROM_PATTERN = /^(?:[^\s<>@]+@[^\s<>@]+|[^<>]*<[^\s<>@]+@[^\s<>@]+>)$/
/** 128 bits as hexadecimal digits. */
const MIN_KEY_CHARACTERS = 32
/** The first of the sockets that systemd passes to a process (sd_listen_fds). */
const FIRST_SOCKET_FD = 3

/** Returns the environment of this process. */
export function loadEnvironment(): Result<Environment, readonly string[]> {
  return readEnvironment(process.env)
}

/** Returns only EVENTS_DIR, for commands that work even if other variables are invalid. */
export function readEventsDir(): string | undefined {
  return process.env['EVENTS_DIR']?.trim() || undefined
}

/**
 * Sets production mode for libraries loaded later, because React's development build renders emails more slowly. Call
 * it after reading our own environment, where an unset NODE_ENV still allows the sandbox.
 */
export function setLibrariesToProduction(): void {
  process.env['NODE_ENV'] ||= 'production'
}

/**
 * The variables that the background process needs. It is given no secrets; the server sends it the mail server's
 * address.
 */
const BACKGROUND_VARIABLES =
  /^(PATH|HOME|TMPDIR|TZ|LANG|LC_.*|LD_.*|MALLOC_.*|SSL_CERT_.*|NODE_(ENV|OPTIONS|COMPILE_CACHE|EXTRA_CA_CERTS|USE_SYSTEM_CA|TLS_REJECT_UNAUTHORIZED))$/

/**
 * Returns the variables for the background process. One memory arena is enough, because this process runs one task at a
 * time.
 */
export function selectBackgroundVariables(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => BACKGROUND_VARIABLES.test(name))
  return {
    ...Object.fromEntries(variables),
    MALLOC_ARENA_MAX: '1',
    NODE_ENV: process.env['NODE_ENV'] || 'production',
  }
}

/**
 * Reads the variables, and reports every problem in one sentence. An empty variable counts as not set. `pid` is the
 * id of the process that the variables are for.
 */
export function readEnvironment(
  variables: Variables,
  pid: number = process.pid,
): Result<Environment, readonly string[]> {
  const problems: string[] = []
  const values = readSecretFiles(variables, problems)
  const knownNames = new Set<string>()
  const readText = (name: string): string | null => values[name]?.trim() || null
  const readVariable = (name: string): string | null => {
    knownNames.add(name)
    return readText(name)
  }
  const readPort = (name: string, fallback: number): number => {
    const text = readVariable(name)
    if (text === null) return fallback
    if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT) return Number(text)
    problems.push(`${name} must be a port number from 0 to ${MAX_PORT}, not "${text}".`)
    return fallback
  }

  // If LISTEN_PID is the id of another process, the sockets are not for this one.
  const socketCount =
    readVariable('LISTEN_PID') === String(pid) ? Number(readVariable('LISTEN_FDS') ?? '0') : 0
  if (socketCount > 1)
    problems.push(`LISTEN_FDS is ${socketCount}, but Rollcall accepts only one socket.`)

  const mode = readVariable('GATEWAY_MODE') ?? 'sandbox'
  const nodeEnv = readVariable('NODE_ENV')
  if (nodeEnv !== null && !NODE_ENVS.includes(nodeEnv))
    problems.push(`NODE_ENV must be ${NODE_ENVS.join(', ')} or not set, not "${nodeEnv}".`)
  // Real payments require all production rules, even if NODE_ENV is not set.
  const production = nodeEnv === 'production' || mode === 'live'
  const productionReason = nodeEnv === 'production' ? 'NODE_ENV=production' : 'GATEWAY_MODE=live'
  const port = readPort('PORT', 3000)
  const host = readVariable('HOST') ?? '127.0.0.1'
  const sandboxPort = readPort('SANDBOX_PORT', port === 0 ? 0 : port + 1)
  if (mode === 'sandbox' && port !== 0 && sandboxPort === port)
    problems.push(`SANDBOX_PORT and PORT are both ${port}. Set SANDBOX_PORT to another port.`)
  if (mode === 'sandbox' && sandboxPort > MAX_PORT)
    problems.push(
      `PORT is ${port}, so the sandbox gateway has no port: its default is PORT + 1. Set SANDBOX_PORT, or a lower PORT.`,
    )

  const publicUrl = readPublicUrl(readVariable('PUBLIC_URL'), host, port, problems)

  const databaseUrl = readVariable('DATABASE_URL')
  if (databaseUrl !== null) {
    const parseResult = parseDatabaseUrl(databaseUrl)
    if (!parseResult.ok) problems.push(parseResult.error)
  }

  const uploadsBucket = readS3Bucket(readVariable)
  if (!uploadsBucket.ok) problems.push(uploadsBucket.error)

  const gatewayMode = GATEWAY_MODES.find((candidate) => candidate === mode)
  if (gatewayMode === undefined)
    problems.push(`GATEWAY_MODE must be sandbox, airpay-test or live, not "${mode}".`)
  else if (production && gatewayMode !== 'live') {
    const description =
      readVariable('GATEWAY_MODE') === null
        ? 'is not set, which means sandbox'
        : `is ${gatewayMode}`
    problems.push(
      `GATEWAY_MODE ${description}, but NODE_ENV=production allows only live. Set GATEWAY_MODE=live.`,
    )
  }

  const publicSandbox = readVariable('PUBLIC_SANDBOX')
  if (publicSandbox !== null && publicSandbox !== PUBLIC_SANDBOX_VALUE)
    problems.push(
      `PUBLIC_SANDBOX must be ${PUBLIC_SANDBOX_VALUE} or not set, not "${publicSandbox}".`,
    )
  const publicAddress = [
    ['HOST', host],
    ['PUBLIC_URL', publicUrl === null ? host : new URL(publicUrl).hostname],
  ].find(([, name = '']) => !isOwnMachine(name))
  if (
    gatewayMode === 'sandbox' &&
    !production &&
    publicSandbox === null &&
    publicAddress !== undefined
  )
    problems.push(
      `${publicAddress[0]} is ${publicAddress[1]}, which others can reach, and GATEWAY_MODE is sandbox, where payments are not real. Set GATEWAY_MODE=live, or PUBLIC_SANDBOX=${PUBLIC_SANDBOX_VALUE} if that is intended.`,
    )

  const checksum = readVariable('AIRPAY_CHECKSUM')
  if (checksum !== null && checksum !== 'A' && checksum !== 'B')
    problems.push(`AIRPAY_CHECKSUM must be A (with the UID) or B (without it), not "${checksum}".`)

  const assumptions = (readVariable('AIRPAY_ASSUME') ?? '').split(',').map((part) => part.trim())
  for (const assumption of assumptions)
    if (assumption !== '' && assumption !== 'currency' && assumption !== 'sale')
      problems.push(
        `AIRPAY_ASSUME must be currency, sale, or both separated by a comma, not "${assumption}".`,
      )

  const limits = readVariable('RATE_LIMITS') ?? 'on'
  if (limits !== 'on' && limits !== 'off')
    problems.push(`RATE_LIMITS must be on or off, not "${limits}".`)
  else if (production && limits === 'off')
    problems.push(`RATE_LIMITS=off is not allowed with ${productionReason}.`)

  const migrateAtStart = readVariable('MIGRATE_AT_START') ?? 'on'
  if (migrateAtStart !== 'on' && migrateAtStart !== 'off')
    problems.push(`MIGRATE_AT_START must be on or off, not "${migrateAtStart}".`)

  const clockText = readVariable('CLOCK')
  const clockStart = clockText === null ? null : readInstant(clockText)
  if (clockText !== null && clockStart === null)
    problems.push(
      `CLOCK must be a date (2026-01-25) or an instant with its offset (2026-01-25T12:00:00+05:30), not "${clockText}".`,
    )
  if (clockText !== null && production)
    problems.push(`CLOCK is for rehearsals and is not allowed with ${productionReason}.`)

  const smtpUrl = readVariable('SMTP_URL')
  if (smtpUrl !== null && !isSmtpUrl(smtpUrl))
    problems.push(
      'SMTP_URL must begin with smtp:// or smtps:// and contain a host, such as smtp://user:password@mail.example.org:587.',
    )
  const mailFrom = readVariable('MAIL_FROM')
  if (mailFrom !== null && !MAIL_FROM_PATTERN.test(mailFrom))
    problems.push(
      `MAIL_FROM must be an email address, or a name with one, such as Registration <no-reply@example.org>, not "${mailFrom}".`,
    )

  const trustProxy = readVariable('TRUST_PROXY')
  const invalidProxies = (trustProxy ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !isProxy(part))
  if (invalidProxies.length > 0)
    problems.push(
      `TRUST_PROXY must list addresses such as 10.0.0.1 or 10.0.0.0/8, separated by commas. "${invalidProxies[0]}" is not an address.`,
    )

  const metricsToken = readVariable('METRICS_TOKEN')
  if (metricsToken !== null && metricsToken.length < MIN_TOKEN_CHARACTERS)
    problems.push(
      `METRICS_TOKEN must be at least ${MIN_TOKEN_CHARACTERS} characters long. Create one with "openssl rand -hex 16".`,
    )

  const secondFactorKey = readVariable('SECOND_FACTOR_KEY')
  if (secondFactorKey !== null && secondFactorKey.length < MIN_KEY_CHARACTERS)
    problems.push(
      `SECOND_FACTOR_KEY must be at least ${MIN_KEY_CHARACTERS} characters long. Create one with "openssl rand -hex 32".`,
    )

  const username = readVariable('ADMIN_USERNAME') ?? 'admin'
  const accounts = readAccounts(Object.keys(values), readText, gatewayMode, problems)

  if (problems.length > 0 || gatewayMode === undefined || publicUrl === null) return err(problems)
  return ok({
    port,
    host,
    ...(socketCount === 1 ? { socketFd: FIRST_SOCKET_FD } : {}),
    publicUrl,
    dataDir: path.resolve(readVariable('DATA_DIR') ?? 'var'),
    databaseUrl,
    ...(migrateAtStart === 'off' ? { migratesAtStart: false } : {}),
    uploadsBucket: uploadsBucket.ok ? uploadsBucket.value : null,
    eventsDir: path.resolve(readVariable('EVENTS_DIR') ?? 'events'),
    production,
    firstAdmin: { username, password: readVariable('ADMIN_PASSWORD') },
    smtpUrl,
    mailFrom: mailFrom ?? `Rollcall <no-reply@${new URL(publicUrl).hostname}>`,
    ...(mailFrom === null ? { hasDefaultSender: true } : {}),
    gatewayMode,
    accounts,
    ...(checksum === 'A' || checksum === 'B' ? { airpayChecksum: checksum } : {}),
    airpayAssumed: {
      currency: assumptions.includes('currency'),
      sale: assumptions.includes('sale'),
    },
    rateLimits: limits === 'on',
    metricsToken,
    secondFactorKey,
    clockStart,
    trustProxy,
    sandboxPort,
    misspeltWarnings: listMisspeltVariables(variables, [...knownNames]),
  })
}

/** Variables that differ in case or by one typing mistake from a setting that is not set, and would be ignored. */
function listMisspeltVariables(
  variables: Variables,
  knownNames: readonly string[],
): readonly string[] {
  const missingNames = knownNames.filter(
    (name) =>
      name.length >= MIN_CHECKED_NAME_CHARACTERS &&
      variables[name] === undefined &&
      variables[`${name}_FILE`] === undefined,
  )
  return Object.keys(variables)
    .filter((name) => !knownNames.includes(name))
    .flatMap((name) => {
      const upperCaseName = name.toUpperCase()
      const intended = missingNames.find(
        (known) => known === upperCaseName || isOneTypo(known, upperCaseName),
      )
      return intended === undefined
        ? []
        : [`${name} is not a setting of Rollcall and has no effect. Did you mean ${intended}?`]
    })
}

/**
 * Returns the folders in which a rescued database is saved if the data folder has no space. With systemd, this is the
 * service's cache folder, because its temporary folder is deleted when the service stops; otherwise, it is the
 * temporary folder.
 */
export function listSpareDirs(): readonly string[] {
  const cacheDirs =
    process.env['CACHE_DIRECTORY']?.split(':').filter((folder) => folder !== '') ?? []
  return cacheDirs.length > 0 || process.env['INVOCATION_ID'] !== undefined ? cacheDirs : [tmpdir()]
}

/** Returns the variables, with secrets read from the files that `…_FILE` variables refer to. */
function readSecretFiles(variables: Variables, problems: string[]): Variables {
  const values: Record<string, string | undefined> = { ...variables }
  for (const [name, file] of Object.entries(variables)) {
    const secret = SECRET_FILE_PATTERN.exec(name)?.[1]
    if (secret === undefined || file === undefined || file.trim() === '') continue
    if ((variables[secret]?.trim() ?? '') !== '') {
      problems.push(`${secret} and ${name} are both set. Set only one of them.`)
      continue
    }
    try {
      values[secret] = readFileSync(file.trim(), 'utf8').trim()
      if (values[secret] === '') problems.push(`${name} is ${file}, but that file is empty.`)
    } catch (error) {
      problems.push(`${name} is ${file}, ${explainUnreadable(error)}`)
    }
  }
  return values
}

function explainUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'but there is no such file.'
  if (code === 'EISDIR') return 'which is a folder. Specify the file in it.'
  if (code === 'EACCES')
    return 'but the user who runs Rollcall may not read that file. Give that user permission to read it.'
  return `but that file cannot be read (${code}).`
}

function readPublicUrl(
  text: string | null,
  host: string,
  port: number,
  problems: string[],
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
    problems.push(
      `PUBLIC_URL must be an address such as https://register.example.org, without a path, not "${text}".`,
    )
    return null
  }
  return url.origin
}

/** Returns true if a host name refers to this machine, so that no other machine can reach it. */
export function isOwnMachine(name: string): boolean {
  return /^(?:localhost|[\w.-]+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(name)
}

function isSmtpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}

/** Validates a proxy as Fastify does: a name, or an address with an optional prefix length. */
function isProxy(text: string): boolean {
  const [address = '', prefixLength, ...extraParts] = text.split('/')
  const version = isIP(address)
  if (version === 0) return PROXY_NAMES.includes(text)
  if (extraParts.length > 0 || address.includes('%')) return false
  if (prefixLength === undefined) return true
  // An IPv4-mapped IPv6 address counts as IPv4.
  const isIpv4 = version === 4 || isMappedIpv4(address)
  const length = /^\d{1,3}$/.test(prefixLength) ? Number(prefixLength) : 0
  return length >= 1 && length <= (isIpv4 ? 32 : 128)
}

function isMappedIpv4(address: string): boolean {
  return /^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(new URL(`http://[${address}]`).hostname)
}
