import * as fc from 'fast-check'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { createClock } from '../../../server/ops/clock.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { explainDataDir } from '../../../server/ops/file-permissions.ts'
import { explainListenError } from '../../../server/ops/listen-errors.ts'
import {
  explainFileError,
  explainStoreError,
} from '../../../server/storage/database/error-explanations.ts'
import { createNewerVersionError } from '../../../server/storage/database/schema.ts'
import { explainPostgresError } from '../../../server/storage/postgres/error-explanations.ts'
import { checkProduction } from '../../../server/production-checks.ts'
import { getAccountVariable, listMissingAccounts } from '../../../server/ops/gateway-accounts.ts'
import type { Variables } from '../../../server/ops/environment.ts'

const LIVE = {
  AIRPAY_AFPI_USERNAME: 'u',
  AIRPAY_AFPI_PASSWORD: 'p',
  AIRPAY_AFPI_SECRET: 's',
  AIRPAY_AFPI_MERCHANT_ID: '1',
}
const PRODUCTION = { NODE_ENV: 'production', GATEWAY_MODE: 'live', ...LIVE }

function readErrors(variables: Variables): readonly string[] {
  const environmentResult = readEnvironment(variables)
  return environmentResult.ok ? [] : environmentResult.error
}
function readValid(variables: Variables) {
  const environmentResult = readEnvironment(variables)
  if (!environmentResult.ok) throw new Error(environmentResult.error.join(' '))
  return environmentResult.value
}

describe('environment variables', () => {
  test('missing values in a status response are not interpreted unless AIRPAY_ASSUME is set', () => {
    expect(readValid({}).airpayAssumed).toEqual({ currency: false, sale: false })
    expect(readValid({ AIRPAY_ASSUME: 'sale, currency' }).airpayAssumed).toEqual({
      currency: true,
      sale: true,
    })
    expect(readErrors({ AIRPAY_ASSUME: 'currency,INR' })).toEqual([
      'AIRPAY_ASSUME must be currency, sale, or both separated by a comma, not "INR".',
    ])
  })

  test('a misspelt variable is reported, because it would be ignored', () => {
    const readWarnings = (variables: Variables): readonly string[] | undefined =>
      readValid(variables).misspeltWarnings
    const mailServer = 'smtp://mail.example.org'
    const explain = (name: string, intended: string): string =>
      `${name} is not a setting of Rollcall and has no effect. Did you mean ${intended}?`
    expect(readWarnings({ SMTP_URl: mailServer })).toEqual([explain('SMTP_URl', 'SMTP_URL')])
    expect(readWarnings({ SMPT_URL: mailServer, data_dir: 'x', DATABSE_URL: 'y' })).toEqual([
      explain('SMPT_URL', 'SMTP_URL'),
      explain('data_dir', 'DATA_DIR'),
      explain('DATABSE_URL', 'DATABASE_URL'),
    ])
    // The setting itself is set, or the name is another program's.
    expect(readWarnings({ SMTP_URL: mailServer, SMTP_URI: mailServer })).toEqual([])
    expect(readWarnings({ SMTP_URL: mailServer, SMTP_USER: 'x', PATH: '/', POST: '1' })).toEqual([])
    const warnings = [explain('TRUST_PROXI', 'TRUST_PROXY')]
    expect(checkProduction(readValid({ TRUST_PROXI: '10.0.0.1' }))).toEqual({
      ok: true,
      value: warnings,
    })
    const production = {
      ...PRODUCTION,
      PUBLIC_URL: 'https://rollcall.example',
      SMTP_URL: mailServer,
    }
    expect(checkProduction(readValid({ ...production, TRUST_PROXI: '10.0.0.1' }))).toMatchObject({
      ok: true,
      value: expect.arrayContaining(warnings),
    })
  })

  test('defaults apply if no variables are set', () => {
    expect(readValid({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:3000',
      production: false,
      gatewayMode: 'sandbox',
      accounts: {},
      rateLimits: true,
      clockStart: null,
      trustProxy: null,
      smtpUrl: null,
      firstAdmin: { username: 'admin', password: null },
      sandboxPort: 3001,
    })
    expect(readValid({}).dataDir).toBe(`${process.cwd()}/var`)
    expect(readValid({}).eventsDir).toBe(`${process.cwd()}/events`)
  })

  test('an empty variable counts as not set', () => {
    expect(readValid({ PORT: '', GATEWAY_MODE: ' ', CLOCK: '', RATE_LIMITS: '' })).toEqual(
      readValid({}),
    )
  })

  test('a trailing slash is removed from PUBLIC_URL; if it is not set, host and port are used, with brackets around an IPv6 address', () => {
    expect(
      readValid({ PUBLIC_URL: 'https://register.example.org/', PUBLIC_SANDBOX: 'no-real-money' })
        .publicUrl,
    ).toBe('https://register.example.org')
    expect(readValid({ HOST: '::1', PORT: '80' }).publicUrl).toBe('http://[::1]:80')
  })

  test('an account needs all four of its variables, and is looked up by its name in event files', () => {
    expect(
      readValid({
        ...LIVE,
        AIRPAY_MID_ZONE_USERNAME: 'u',
        AIRPAY_MID_ZONE_PASSWORD: 'p',
        AIRPAY_MID_ZONE_SECRET: 's',
        AIRPAY_MID_ZONE_MERCHANT_ID: '2',
      }).accounts.airpay,
    ).toEqual({
      afpi: { USERNAME: 'u', PASSWORD: 'p', SECRET: 's', MERCHANT_ID: '1' },
      'mid-zone': { USERNAME: 'u', PASSWORD: 'p', SECRET: 's', MERCHANT_ID: '2' },
    })
    expect(getAccountVariable('airpay', 'mid-zone', 'SECRET')).toBe('AIRPAY_MID_ZONE_SECRET')
  })

  test.each<[string, Variables, RegExp]>([
    [
      'an invalid port',
      { PORT: 'http' },
      /^PORT must be a port number from 0 to 65535, not "http"\.$/,
    ],
    ['a port above the maximum', { PORT: '65536' }, /^PORT must/],
    [
      'an address without a protocol',
      { PUBLIC_URL: 'register.example.org' },
      /^PUBLIC_URL must be an address/,
    ],
    [
      'an address with a path',
      { PUBLIC_URL: 'https://example.org/register' },
      /^PUBLIC_URL must be an address/,
    ],
    [
      'an unsupported kind of database',
      { DATABASE_URL: 'mysql://localhost/x' },
      /^DATABASE_URL must begin with postgres:/,
    ],
    [
      'an unknown mode',
      { GATEWAY_MODE: 'test' },
      /^GATEWAY_MODE must be sandbox, airpay-test or live, not "test"\.$/,
    ],
    ['invalid rate limits', { RATE_LIMITS: 'yes' }, /^RATE_LIMITS must be on or off/],
    ['a clock without an offset', { CLOCK: '2026-01-25T12:00:00' }, /^CLOCK must be a date/],
    ['an invalid date', { CLOCK: '2026-02-30' }, /^CLOCK must be a date/],
    [
      'an email URL with an unsupported protocol',
      { SMTP_URL: 'https://mail.example.org' },
      /^SMTP_URL must begin/,
    ],
    [
      'a proxy specified by name',
      { TRUST_PROXY: '10.0.0.1, proxy' },
      /^TRUST_PROXY must list addresses .*"proxy" is not an address\.$/,
    ],
    ...[
      '10.0.0.0/0',
      '10.0.0.0/00',
      '::/0',
      'fe80::1%eth0',
      '::ffff:10.0.0.1/120',
      '10.0.0.1/',
      '10.0.0.1/8/8',
      '10.0.0.1/33',
      '10.0.0.0/255.0.0.0',
      '010.0.0.1',
      'true',
      '1',
    ].map((text): [string, Variables, RegExp] => [
      `a proxy that is not a valid address (${text})`,
      { TRUST_PROXY: `127.0.0.1,${text}` },
      /^TRUST_PROXY must list addresses .* is not an address\.$/,
    ]),
    [
      'the same port for the server and the sandbox',
      { PORT: '3000', SANDBOX_PORT: '3000' },
      /^SANDBOX_PORT and PORT are both 3000\. Set SANDBOX_PORT to another port\.$/,
    ],
    [
      'the highest port, which leaves none for the sandbox,',
      { PORT: '65535' },
      /^PORT is 65535, so the sandbox gateway has no port: .* Set SANDBOX_PORT/,
    ],
    ['a mail server without a host', { SMTP_URL: 'smtp://' }, /^SMTP_URL must .* contain a host/],
    ...['abc', 'a@b c', 'Office <no-reply>', '<a@example.org> Office'].map(
      (text): [string, Variables, RegExp] => [
        `a sender that mail servers reject (${text})`,
        { MAIL_FROM: text },
        /^MAIL_FROM must be an email address, or a name with one/,
      ],
    ),
    [
      'an account without all its variables',
      { AIRPAY_AFPI_USERNAME: 'u', AIRPAY_AFPI_SECRET: 's' },
      /^AIRPAY_AFPI_PASSWORD, AIRPAY_AFPI_MERCHANT_ID are missing/,
    ],
    [
      'the sandbox in production, by default',
      { NODE_ENV: 'production' },
      /^GATEWAY_MODE is not set, which means sandbox, but NODE_ENV=production allows only live\. Set GATEWAY_MODE=live\.$/,
    ],
    [
      "Airpay's sandbox in production",
      { NODE_ENV: 'production', GATEWAY_MODE: 'airpay-test' },
      /^GATEWAY_MODE is airpay-test/,
    ],
    [
      'disabled rate limits in production',
      { ...PRODUCTION, RATE_LIMITS: 'off' },
      /^RATE_LIMITS=off is not allowed/,
    ],
    [
      'a rehearsal in production',
      { ...PRODUCTION, CLOCK: '2026-01-25' },
      /^CLOCK is for rehearsals/,
    ],
  ])('%s causes one clear message', (_what, variables, expectedMessage) => {
    expect(readErrors(variables)).toEqual([expect.stringMatching(expectedMessage)])
  })

  test.each<[Variables]>([[{ RATE_LIMITS: 'off' }], [{ CLOCK: '2026-01-25' }]])(
    'live payments without NODE_ENV are subject to every production rule: %j',
    (variables) => {
      expect(readValid({ GATEWAY_MODE: 'live', ...LIVE }).production).toBe(true)
      expect(readErrors({ GATEWAY_MODE: 'live', ...LIVE, ...variables })).toEqual([
        expect.stringMatching(/is not allowed with GATEWAY_MODE=live\.$/),
      ])
    },
  )

  test.each(['prod', 'Production', 'staging'])('rejects NODE_ENV=%s', (text) =>
    expect(readErrors({ NODE_ENV: text })).toEqual([
      `NODE_ENV must be production, development, test or not set, not "${text}".`,
    ]),
  )

  test.each<[Variables]>([
    [{ HOST: '0.0.0.0' }],
    [{ HOST: '::' }],
    [{ HOST: '192.0.2.1' }],
    [{ PUBLIC_URL: 'https://register.example.org' }],
    [{ PUBLIC_URL: 'https://localhost.example.org' }],
    [{ NODE_ENV: 'development', PUBLIC_URL: 'http://127.0.0.1.example.org' }],
  ])('a public sandbox is rejected unless it is enabled explicitly: %j', (variables) => {
    expect(readErrors(variables)).toEqual([
      expect.stringMatching(/which others can reach, and GATEWAY_MODE is sandbox/),
    ])
    expect(readValid({ ...variables, PUBLIC_SANDBOX: 'no-real-money' }).gatewayMode).toBe('sandbox')
    expect(readErrors({ ...variables, PUBLIC_SANDBOX: 'yes' })).toEqual([
      'PUBLIC_SANDBOX must be no-real-money or not set, not "yes".',
    ])
  })

  test.each<[Variables]>([
    [{ HOST: '127.0.0.1' }],
    [{ HOST: '::1' }],
    [{ HOST: 'localhost', PUBLIC_URL: 'http://localhost:3000' }],
  ])('a sandbox that only the machine itself can reach needs no setting: %j', (variables) =>
    expect(readValid(variables).gatewayMode).toBe('sandbox'),
  )

  test('all errors are reported together', () => {
    expect(readErrors({ PORT: 'x', RATE_LIMITS: 'x', GATEWAY_MODE: 'x' })).toHaveLength(3)
  })

  test('live payments are accepted in production if their accounts are set', () => {
    expect(readValid(PRODUCTION)).toMatchObject({ production: true, gatewayMode: 'live' })
  })
})

test('every accepted proxy value works', () => {
  const maskBits = fc.option(fc.integer({ min: -1, max: 130 }), { nil: null })
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('loopback', 'linklocal', '::'))
  fc.assert(
    fc.property(address, maskBits, (name, length) => {
      const trustProxy = length === null ? name : `${name}/${length}`
      const environmentResult = readEnvironment({ TRUST_PROXY: trustProxy })
      if (environmentResult.ok) expect(() => Fastify({ trustProxy })).not.toThrow()
    }),
  )
})

describe('a production server', () => {
  const completeVariables = { ...PRODUCTION, PUBLIC_URL: 'https://register.example.org' }
  const recommendedVariables = { SMTP_URL: 'smtp://mail.example.org', TRUST_PROXY: '127.0.0.1' }

  test.each<[string, Variables, string]>([
    [
      'without PUBLIC_URL would send links to itself',
      { ...PRODUCTION, ...recommendedVariables },
      'PUBLIC_URL is http://127.0.0.1:3000, which is reachable only from this machine: links in emails and the return from the gateway would fail. Set it to the https address of this server for delegates.',
    ],
    [
      'with an https address that refers to itself would also send links to itself',
      { ...PRODUCTION, ...recommendedVariables, PUBLIC_URL: 'https://localhost' },
      'PUBLIC_URL is https://localhost, which is reachable only from this machine: links in emails and the return from the gateway would fail. Set it to the https address of this server for delegates.',
    ],
    [
      'with an http address would send answers and office sessions in plain text',
      { ...PRODUCTION, ...recommendedVariables, PUBLIC_URL: 'http://register.example.org' },
      'PUBLIC_URL is http://register.example.org: answers, uploads and office sessions would be sent unencrypted. Put a proxy with a certificate in front and set PUBLIC_URL to its https address.',
    ],
    [
      'rejects an ADMIN_PASSWORD that is easy to guess',
      { ...completeVariables, ...recommendedVariables, ADMIN_PASSWORD: '1' },
      'ADMIN_PASSWORD must be at least 8 characters long. Unset it to have one generated and printed at the first start.',
    ],
  ])('%s', (_what, variables, expectedMessage) => {
    expect(checkProduction(readValid(variables))).toEqual({ ok: false, error: [expectedMessage] })
    // Rehearsals are allowed.
    const rehearsalVariables = { ...variables, NODE_ENV: undefined, GATEWAY_MODE: undefined }
    expect(
      checkProduction(readValid({ ...rehearsalVariables, PUBLIC_SANDBOX: 'no-real-money' })).ok,
    ).toBe(true)
  })

  test('without email or a known proxy starts with a warning', () => {
    expect(checkProduction(readValid({ ...completeVariables, ...recommendedVariables }))).toEqual({
      ok: true,
      value: [],
    })
    expect(checkProduction(readValid(completeVariables))).toEqual({
      ok: true,
      value: [
        'SMTP_URL is not set: emails do not reach delegates; they are only written to DATA_DIR/mail.',
        'TRUST_PROXY is not set: behind a proxy, all visitors share the rate limits of one address. Set it to the address of the proxy (127.0.0.1 if it is on this machine).',
      ],
    })
  })
})

describe('accounts in event files', () => {
  const events = [
    { id: 'one', payment: { account: 'afpi', gateway: {} } },
    { id: 'two', payment: { account: 'other-one', gateway: {} } },
    { id: 'free', payment: null },
  ] as unknown as EventConfig[]
  test('must be set in live mode; the missing variables are listed', () => {
    expect(listMissingAccounts(readValid({ GATEWAY_MODE: 'live', ...LIVE }), events)).toEqual([
      'Event two uses the Airpay account "other-one", so AIRPAY_OTHER_ONE_USERNAME, AIRPAY_OTHER_ONE_PASSWORD, AIRPAY_OTHER_ONE_SECRET and AIRPAY_OTHER_ONE_MERCHANT_ID must be set with GATEWAY_MODE=live.',
    ])
  })
  test('need no credentials in the sandbox, which generates its own', () => {
    expect(listMissingAccounts(readValid({}), events)).toEqual([])
  })
})

describe('CLOCK', () => {
  test.each([
    ['2026-01-25', '2026-01-25T06:30:00.000Z'],
    ['2026-01-25T12:00:00+05:30', '2026-01-25T06:30:00.000Z'],
    ['2026-01-25T23:59:59Z', '2026-01-25T23:59:59.000Z'],
  ])('%s starts the clock at %s', (text, utc) => {
    expect(readValid({ CLOCK: text }).clockStart).toBe(Date.parse(utc))
  })

  test('the clock continues from the set time', () => {
    const start = instant(Date.parse('2026-01-25T06:30:00Z'))
    const clock = createClock(start)
    const firstReading = clock()
    expect(firstReading).toBeGreaterThanOrEqual(start)
    let laterReading = clock()
    while (laterReading === firstReading) laterReading = clock()
    expect(laterReading).toBeGreaterThan(firstReading)
  })
})

/** Problems during a first start, and the message that a new operator sees. */
const FIRST_START: readonly (readonly [string, () => unknown, string])[] = [
  [
    'an invalid variable',
    () => readErrors({ PORT: '80a' })[0],
    'PORT must be a port number from 0 to 65535, not "80a".',
  ],
  [
    'a port in use',
    () =>
      explainListenError(
        { code: 'EADDRINUSE' },
        { variable: 'PORT', port: 3000, host: '127.0.0.1' },
      ),
    'Port 3000 on 127.0.0.1 is already in use. Set PORT to a free port.',
  ],
  [
    'a folder that cannot be written to',
    () => explainDataDir('/srv/data', { code: 'EACCES' }),
    'DATA_DIR is /srv/data, which the user who runs Rollcall cannot write to. Give that user permission to write there, or set DATA_DIR to another folder.',
  ],
  [
    'a folder that is a file',
    () => explainDataDir('/srv/data', { code: 'EEXIST' }),
    'DATA_DIR is /srv/data, which is a file or is inside one. Set DATA_DIR to a folder.',
  ],
  [
    'a full disk, for a file',
    () => explainFileError({ code: 'ENOSPC' }, '/srv/data/uploads'),
    '/srv/data/uploads has no space left. Free some space.',
  ],
  [
    'a full disk, for the database',
    () => explainStoreError(new Error('database or disk is full')),
    'The database rollcall.db in DATA_DIR cannot be used: its disk has no space left. Free some space. Nothing in it was changed.',
  ],
  [
    'a database from a newer version',
    () => explainStoreError(createNewerVersionError(999))?.replace(/supports \d+/, 'supports 61'),
    'The database is from a newer version of Rollcall (999; this one supports 61). Start that version.',
  ],
  [
    'a PostgreSQL server that is not running',
    () => explainPostgresError(''),
    'PostgreSQL cannot be reached. Start it, or correct DATABASE_URL.',
  ],
  [
    'a wrong PostgreSQL password',
    () => explainPostgresError('28P01'),
    'PostgreSQL refuses the user or the password in DATABASE_URL. Correct them.',
  ],
  [
    'a missing database in PostgreSQL',
    () => explainPostgresError('3D000'),
    'The database in DATABASE_URL does not exist. Create it or correct the name.',
  ],
]
test.each(FIRST_START)(
  'a first start with %s states how to continue',
  (_situation, explainProblem, sentence) => {
    expect(explainProblem()).toBe(sentence)
  },
)
