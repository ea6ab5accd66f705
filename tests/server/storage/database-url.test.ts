/** DATABASE_URL can contain several hosts, as in libpq, and options for Rollcall. */
import { expect, test } from 'vitest'
import { ConnectionLost } from '../../../server/storage/postgres/errors.ts'
import { createUnusableError } from '../../../server/storage/postgres/prepare-database.ts'
import { parseDatabaseUrl } from '../../../server/storage/postgres/database-url.ts'

test.each([
  ['one host', 'postgres://rollcall@db/app', ['postgres://rollcall@db/app']],
  ['no host', 'postgres:///app?host=/tmp', ['postgres:///app?host=/tmp']],
  [
    'two hosts with ports',
    'postgresql://user:p%40w,x@a:5432,b:5433/app?target_session_attrs=read-write&sslmode=require',
    [
      'postgresql://user:p%40w,x@a:5432/app?sslmode=verify-full',
      'postgresql://user:p%40w,x@b:5433/app?sslmode=verify-full',
    ],
  ],
  [
    'IPv6 addresses, and a host without a port',
    'postgres://[::1]:5432,db.example.org/app',
    ['postgres://[::1]:5432/app', 'postgres://db.example.org/app'],
  ],
])('DATABASE_URL with %s is split into one URL per host', (_name, text, urls) => {
  expect(parseDatabaseUrl(text)).toEqual({
    ok: true,
    value: { urls, usesPreparedStatements: true },
  })
})

test('prepared_statements=off is an option for Rollcall and is not passed to PostgreSQL', () => {
  expect(parseDatabaseUrl('postgres://a/app?prepared_statements=off&sslmode=require')).toEqual({
    ok: true,
    value: { urls: ['postgres://a/app?sslmode=verify-full'], usesPreparedStatements: false },
  })
})

test.each([
  ['another database system', 'mysql://a/app', /^DATABASE_URL must begin with postgres:/],
  ['a missing database name', 'postgres://a,b', /^DATABASE_URL must begin with postgres:/],
  ['an empty host', 'postgres://a,/app', /^DATABASE_URL contains "", which is not a host/],
  ['an invalid port', 'postgres://a:5432,b:x/app', /^DATABASE_URL contains "b:x"/],
  ['a port above 65535', 'postgres://a:70000/app', /^DATABASE_URL contains "a:70000"/],
  ['a repeated host', 'postgres://a,b/app?host=c', /Write them once/],
  [
    'a standby',
    'postgres://a,b/app?target_session_attrs=standby',
    /target_session_attrs=standby, but Rollcall needs the host that accepts writes/,
  ],
  ['an invalid option value', 'postgres://a/app?prepared_statements=no', /Use on or off\.$/],
])('%s is rejected with a message', (_name, text, message) => {
  expect(parseDatabaseUrl(text)).toEqual({ ok: false, error: expect.stringMatching(message) })
})

test.each([
  ['The server does not support SSL connections', /Turn on ssl in PostgreSQL, or remove sslmode/],
  [
    'self-signed certificate',
    /The certificate of PostgreSQL is not trusted\. Add sslrootcert=FILE/,
  ],
])(
  'a connection that cannot be encrypted is not retried as if PostgreSQL were down: %s',
  (reason, advice) => {
    const error = createUnusableError(new ConnectionLost('', reason))
    expect([error.code, error.message]).toEqual(['unusable', expect.stringMatching(advice)])
    expect(error.message).not.toContain('Start it')
  },
)
