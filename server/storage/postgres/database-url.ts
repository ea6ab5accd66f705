/** Parses DATABASE_URL. Accepts several hosts as libpq does, because `pg` itself accepts only one. */
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'

export type DatabaseUrl = {
  /** One URL per host in `pg`'s format, in the order of the hosts. */
  readonly urls: readonly string[]
  /** False if PostgreSQL is behind a connection pooler that does not support prepared statements. */
  readonly usesPreparedStatements: boolean
}

/** The groups are scheme, user and password, hosts, database, and options. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(\/[^?#]+)(?:\?([^#]*))?$/
const HOST_PATTERN = /^(?:\[[\da-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i
const MAX_PORT = 65_535
/** Values of target_session_attrs with which the host that accepts writes can be used. */
const SUPPORTED_TARGETS = ['read-write', 'primary', 'any']

/** Values of sslmode that `pg` treats as verify-full, with a warning that this will change in a later version. */
const WEAKER_SSL = /^sslmode=(?:prefer|require|verify-ca)$/

const NOT_POSTGRES_MESSAGE =
  'DATABASE_URL must begin with postgres:// and name a database, such as postgres://rollcall@db.example.org/rollcall. Without it, Rollcall stores its data in SQLite, under DATA_DIR.'

export function parseDatabaseUrl(text: string): Result<DatabaseUrl, string> {
  const [, scheme = '', user = '', hostList = '', database = '', options = ''] =
    URL_PARTS.exec(text) ?? []
  if (scheme === '') return err(NOT_POSTGRES_MESSAGE)
  const hosts = hostList.split(',')
  const invalidHost = hostList === '' ? undefined : hosts.find((host) => !isHost(host))
  if (invalidHost !== undefined)
    return err(
      `DATABASE_URL contains "${invalidHost}", which is not a host. Write a host, or several separated by commas, each with its port if it is not 5432: postgres://rollcall@db1.example.org:5432,db2.example.org:5432/rollcall.`,
    )
  const pairs = options.split('&').filter((pair) => pair !== '')
  const getOption = (name: string): string | null => new URLSearchParams(options).get(name)
  if (hosts.length > 1 && getOption('host') !== null)
    return err(
      'DATABASE_URL contains hosts both before the database and in the option "host". Write them once, before the database.',
    )
  const targetAttributes = getOption('target_session_attrs')
  if (targetAttributes !== null && !SUPPORTED_TARGETS.includes(targetAttributes))
    return err(
      `DATABASE_URL has target_session_attrs=${targetAttributes}, but Rollcall needs the host that accepts writes. Use read-write, or leave it out.`,
    )
  const preparedStatements = getOption('prepared_statements')
  if (preparedStatements !== null && preparedStatements !== 'on' && preparedStatements !== 'off')
    return err(`DATABASE_URL has prepared_statements=${preparedStatements}. Use on or off.`)
  const isPlainSsl = getOption('uselibpqcompat') === null
  const otherPairs = pairs
    .filter((pair) => !/^(?:target_session_attrs|prepared_statements)=/.test(pair))
    .map((pair) => (isPlainSsl ? pair.replace(WEAKER_SSL, 'sslmode=verify-full') : pair))
  const query = otherPairs.length === 0 ? '' : `?${otherPairs.join('&')}`
  return ok({
    urls: hosts.map((host) => `${scheme}${user}${host}${database}${query}`),
    usesPreparedStatements: preparedStatements !== 'off',
  })
}

function isHost(text: string): boolean {
  const match = HOST_PATTERN.exec(text)
  return match !== null && Number(match[1] ?? 0) <= MAX_PORT
}
