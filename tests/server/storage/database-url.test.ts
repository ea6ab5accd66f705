/** DATABASE_URL: several hosts, as libpq allows, and its options for Rollcall. */
import { expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../../server/storage/postgres/database-url.ts'

test.each([
  ['one host', 'postgres://rollcall@db/app', ['postgres://rollcall@db/app']],
  ['no host', 'postgres:///app?host=/tmp', ['postgres:///app?host=/tmp']],
  [
    'two hosts with ports',
    'postgresql://user:p%40w,x@a:5432,b:5433/app?target_session_attrs=read-write&sslmode=require',
    [
      'postgresql://user:p%40w,x@a:5432/app?sslmode=require',
      'postgresql://user:p%40w,x@b:5433/app?sslmode=require',
    ],
  ],
  [
    'IPv6 addresses, and a host without a port',
    'postgres://[::1]:5432,db.example.org/app',
    ['postgres://[::1]:5432/app', 'postgres://db.example.org/app'],
  ],
])('%s: one address for each host', (_name, text, urls) => {
  expect(parseDatabaseUrl(text)).toEqual({ ok: true, value: { urls, isPrepared: true } })
})

test('prepared_statements=off is for Rollcall and not passed on', () => {
  expect(parseDatabaseUrl('postgres://a/app?prepared_statements=off&sslmode=require')).toEqual({
    ok: true,
    value: { urls: ['postgres://a/app?sslmode=require'], isPrepared: false },
  })
})

test.each([
  ['another database', 'mysql://a/app', /^DATABASE_URL must begin with postgres:/],
  ['no database', 'postgres://a,b', /^DATABASE_URL must begin with postgres:/],
  ['an empty host', 'postgres://a,/app', /^DATABASE_URL names "", which is not a host/],
  ['a port that is no number', 'postgres://a:5432,b:x/app', /^DATABASE_URL names "b:x"/],
  ['a port above 65535', 'postgres://a:70000/app', /^DATABASE_URL names "a:70000"/],
  ['hosts twice', 'postgres://a,b/app?host=c', /Name them once/],
  [
    'a standby',
    'postgres://a,b/app?target_session_attrs=standby',
    /target_session_attrs=standby, but Rollcall needs the host that takes writes/,
  ],
  ['neither on nor off', 'postgres://a/app?prepared_statements=no', /Use on or off\.$/],
])('%s: a sentence', (_name, text, sentence) => {
  expect(parseDatabaseUrl(text)).toEqual({ ok: false, error: expect.stringMatching(sentence) })
})
