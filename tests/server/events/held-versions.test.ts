/** A new version of an event file that would break stored registrations is not activated. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { toAmount, type EventConfig, type OrderId } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import {
  compareWithServedVersion,
  readEvent,
  type Finding,
  type UsageCounts,
} from '../../../engine/authoring.ts'
import { openRegistry } from '../../../server/events/event-registry.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { signIn } from '../office/office.ts'
import { buildSale } from '../sample-registrations.ts'
import { shared } from '../cli/shared-files.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

const addStateField = (text: string): string =>
  text.replace(
    '        - {id: letter,',
    '        - {id: state, type: select, label: State, options: [kerala, goa]}\n        - {id: letter,',
  )
const servedFile = addStateField(buildFixtureEvent())

describe('the findings', () => {
  const compileText = (text: string): EventConfig => {
    const event = readEvent(text, shared)
    if (event === null) throw new Error('the changed file must be readable')
    return event
  }
  const USAGE: UsageCounts = {
    registrations: 7,
    pending: 2,
    fields: { full_name: 7, state: 5, is_member: 7 },
    options: { state: { kerala: 5 }, is_member: { true: 3, false: 4 } },
    categories: { member: 3, 'non-member': 4 },
    items: {},
    places: {},
    codes: {},
  }
  const listFindings = (
    change: (text: string) => string,
    currentUsage = USAGE,
  ): readonly Finding[] => {
    const text = change(servedFile)
    if (text === servedFile) throw new Error('the change has no effect')
    return compareWithServedVersion(
      compileText(text),
      { path: 'sample2026.yaml', text },
      compileText(servedFile),
      currentUsage,
    )
  }
  const formatFindings = (findings: readonly Finding[]): readonly string[] =>
    findings.map(
      ({ code, severity, at, message }) => `${severity} ${code} ${at.keyPath}: ${message}`,
    )

  test.each<[string, (text: string) => string, readonly string[]]>([
    [
      'a removed field with answers',
      (text) => text.replace(/ {8}- \{id: state.*\n/, ''),
      [
        'error EV1001 form.sections: the field `state` was removed, but 5 registrations have a value for it',
      ],
    ],
    ['a removed field without answers', (text) => text.replace(/ {8}- \{id: letter.*\n/, ''), []],
    [
      'a removed field whose answers are kept outside the form',
      (text) =>
        text
          .replace(/ {8}- \{id: state.*\n/, '')
          .replace(
            '  summary:\n',
            '  also_stored: [{id: state, type: text, label: State}]\n  summary:\n',
          ),
      [],
    ],
    [
      'a changed type',
      (text) =>
        text.replace(
          'id: state, type: select, label: State, options: [kerala, goa]',
          'id: state, type: yes-no, label: State',
        ),
      [
        'error EV1002 form.sections.0.fields.4: `state` changes from a select to a yes-no field, but 5 registrations have a value for it',
      ],
    ],
    [
      'a select field that becomes a text field, which accepts every answer',
      (text) =>
        text.replace(
          'id: state, type: select, label: State, options: [kerala, goa]',
          'id: state, label: State',
        ),
      [],
    ],
    [
      'a removed option in use',
      (text) => text.replace('[kerala, goa]', '[tamil-nadu, goa]'),
      [
        'error EV1003 form.sections.0.fields.4.options: `kerala` is no longer an option of `state`, but 5 registrations use it',
      ],
    ],
    [
      'a removed option not in use',
      (text) => text.replace('[kerala, goa]', '[kerala, karnataka]'),
      [],
    ],
    [
      'a removed category in use',
      (text) => text.replaceAll('non-member', 'visitor'),
      [
        'error EV1004 categories: the category `non-member` was removed, but 4 registrations belong to it',
      ],
    ],
    [
      'a changed prefix',
      (text) => text.replace('prefix: SMPL', 'prefix: SMPX'),
      [
        'error EV1005 order_id.prefix: the format of registration numbers changed (prefix was `SMPL`), and 7 registrations would no longer be found',
      ],
    ],
    [
      'a changed account',
      (text) => text.replace('account: sample', 'account: other'),
      [
        'error EV1006 payment.account: the account `sample` was removed, but 2 registrations have a pending payment through it',
      ],
    ],
    [
      'a moved page',
      (text) => text.replace('success: /sample2026/payment/success', 'success: /sample2026/thanks'),
      [
        'warning EV1007 routes.success: the address of this page was /sample2026/payment/success; links for 7 registrations still use that address',
      ],
    ],
    [
      'a moved form with its old address',
      (text) => text.replace('form: /sample2026', 'form: /sample\n  also: [/sample2026]'),
      [],
    ],
    [
      'a renamed period',
      (text) => text.replaceAll('early', 'first'),
      [
        'warning EV1008 fees.periods: the period `early` was removed, but some registrations may have been quoted its prices',
      ],
    ],
    [
      'a changed price, label or message',
      (text) =>
        text.replace('[3000, 4000]', '[3500, 4000]').replace('label: Letter', 'label: Your letter'),
      [],
    ],
    [
      'a change that is allowed with a reason',
      (text) =>
        `${text.replace('prefix: SMPL', 'prefix: SMPX')}\nallow:\n  - {code: EV1005, because: No delegate has a number yet.}\n`,
      [],
    ],
  ])('%s', (_name, change, expected) => {
    expect(formatFindings(listFindings(change))).toEqual(expected)
  })

  test.each<[string, string, string, Partial<UsageCounts>, readonly string[]]>([
    [
      'fewer seats for an option than are in use',
      '{id: seats, each_option_of: state, max: {kerala: 9, goa: 9}, full: Full}',
      '{id: seats, each_option_of: state, max: {kerala: 4, goa: 2}, full: Full}',
      { places: { 'seats.kerala': 5, 'seats.goa': 2 } },
      ['error EV1011 quotas.0.max.kerala: `kerala` of `seats` has 4 seats, but 5 are in use'],
    ],
    [
      'one maximum for all instead of one per option',
      '{id: seats, each_option_of: state, max: {kerala: 9, goa: 9}, full: Full}',
      '{id: seats, max: 18, full: Full}',
      { places: { 'seats.kerala': 5 } },
      [
        'error EV1011 quotas.0.max: `kerala` of `seats` no longer has a separate maximum, but 5 of its seats are in use',
      ],
    ],
    [
      'a quota with more seats in use than its unchanged maximum, which staff exceeded',
      '{id: seats, each_option_of: state, max: {kerala: 4, goa: 9}, full: Full}',
      '{id: seats, each_option_of: state, max: {kerala: 4, goa: 9}, full: All seats are taken}',
      { places: { 'seats.kerala': 5 } },
      [],
    ],
    [
      'a higher maximum that is still below the number of seats in use',
      '{id: seats, max: 3, full: Full}',
      '{id: seats, max: 4, full: Full}',
      { places: { seats: 5 } },
      [],
    ],
    [
      'a lower maximum of a quota that staff exceeded',
      '{id: seats, max: 4, full: Full}',
      '{id: seats, max: 3, full: Full}',
      { places: { seats: 5 } },
      ['error EV1011 quotas.0.max: `seats` has 3 seats, but 5 are in use'],
    ],
    [
      'an option that again has a maximum, below the number of its seats in use',
      '{id: seats, max: 18, full: Full}',
      '{id: seats, each_option_of: state, max: {kerala: 4, goa: 9}, full: Full}',
      { places: { 'seats.kerala': 5 } },
      ['error EV1011 quotas.0.max.kerala: `kerala` of `seats` has 4 seats, but 5 are in use'],
    ],
    [
      'a quota that is added again with fewer seats than are in use',
      '{id: hall, max: 18, full: Full}',
      '{id: seats, max: 4, full: Full}',
      { places: { seats: 5 } },
      ['error EV1011 quotas.0.max: `seats` has 4 seats, but 5 are in use'],
    ],
    [
      'a removed quota without seats in use',
      '{id: seats, max: 18, full: Full}',
      '{id: hall, max: 18, full: Full}',
      { places: { seats: 0, seatsmore: 3 } },
      [],
    ],
  ])('%s', (_name, quotaBefore, quotaAfter, usedSeats, expected) => {
    const addQuota = (quota: string): string => `${servedFile}\nquotas:\n  - ${quota}\n`
    expect(
      formatFindings(
        compareWithServedVersion(
          compileText(addQuota(quotaAfter)),
          { path: 'sample2026.yaml', text: addQuota(quotaAfter) },
          compileText(addQuota(quotaBefore)),
          { ...USAGE, ...usedSeats },
        ),
      ),
    ).toEqual(expected)
  })

  test('reports the removal of a chosen option of a multiple-choice field', () => {
    const multipleChoice = servedFile.replace(
      'type: select, label: State, options: [kerala, goa]',
      'type: many, label: States, options: [kerala, goa, assam]',
    )
    const text = multipleChoice.replace('[kerala, goa, assam]', '[goa]')
    expect(
      formatFindings(
        compareWithServedVersion(
          compileText(text),
          { path: 'sample2026.yaml', text },
          compileText(multipleChoice),
          USAGE,
        ),
      ),
    ).toEqual([
      'error EV1003 form.sections.0.fields.4.options: `kerala` is no longer an option of `state`, but 5 registrations use it',
    ])
  })

  test('the account can change while no payment is pending', () => {
    expect(
      listFindings((text) => text.replace('account: sample', 'account: other'), {
        ...USAGE,
        pending: 0,
      }),
    ).toEqual([])
  })
})

describe('the server', () => {
  let server: TestApp | null = null
  afterEach(async () => {
    await server?.close()
    server = null
  })
  const start = async (): Promise<TestApp> => {
    server = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': servedFile } })
    expect(
      (await server.post('/api/sample2026/register/', { ...fixtureDelegate, state: 'kerala' }))
        .statusCode,
    ).toBe(201)
    return server
  }
  const readPrefix = ({ deps }: TestApp): string | undefined =>
    deps.events.findById('sample2026')?.config.orderId.prefix
  const changedPrefix = servedFile.replace('prefix: SMPL', 'prefix: SMPX')

  test('holds back a version that would break a stored registration, with the reason, until it is approved', async () => {
    const app = await start()
    app.writeEvent('sample2026.yaml', changedPrefix)
    await app.deps.events.reload()
    expect(readPrefix(app)).toBe('SMPL')
    expect(app.output.join('\n')).toMatch(
      /error\[EV1005\][^]*sample2026\.yaml:\d+[^]*the last valid version/,
    )
    app.writeEvent(
      'sample2026.yaml',
      `${changedPrefix}\nallow:\n  - {code: EV1005, because: It was a rehearsal.}\n`,
    )
    await app.deps.events.reload()
    expect(readPrefix(app)).toBe('SMPX')
  })

  test('rejects a version that removes a quota with seats in use, or lowers its maximum below the number in use', async () => {
    const addQuota = (max: number): string =>
      `${servedFile}\nquotas: [{id: hall, max: ${max}, full: The hall is full}]\n`
    server = await startTestApp({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': addQuota(5) },
    })
    const app = server
    for (const email of ['a@example.org', 'b@example.org'])
      expect(
        (await app.post('/api/sample2026/register/', { ...fixtureDelegate, email, state: 'goa' }))
          .statusCode,
      ).toBe(201)
    const readMax = () => app.deps.events.findById('sample2026')?.config.quotas[0]?.max
    for (const [text, code] of [
      [addQuota(1), 'EV1011'],
      [servedFile, 'EV1010'],
    ] as const) {
      app.writeEvent('sample2026.yaml', text)
      await app.deps.events.reload()
      expect(app.output.join('\n')).toContain(`error[${code}]`)
      expect(readMax()).toBe(5)
    }
    app.writeEvent('sample2026.yaml', addQuota(2))
    await app.deps.events.reload()
    expect(readMax()).toBe(2)
  })

  test('serves a changed text after staff accepted a late payment for a seat that was sold again', async () => {
    const oversoldFile = `${servedFile}
quotas: [{id: hall, max: 1, full: The hall is full}]
hold_seats_for: 30 minutes
`
    server = await startTestApp({
      clock: '2026-01-10T10:00:00+05:30',
      events: { 'sample2026.yaml': oversoldFile },
    })
    const app = server
    const register = async (email: string) => {
      const form = { ...fixtureDelegate, email, state: 'goa' }
      const response = await app.post('/api/sample2026/register/', form)
      expect(response.statusCode, response.body).toBe(201)
      return response.json<RegisterResponse>().payment_data?.orderid as OrderId
    }
    const pay = (orderId: OrderId, reference: string) =>
      app.deps.store.applyPaymentEvent(
        orderId,
        buildSale(reference, toAmount(118_000), app.now()),
        null,
      )
    const latePayer = await register('a@example.org')
    app.setTime('2026-01-10T11:00:00+05:30')
    await pay(await register('b@example.org'), 'AP1')
    await pay(latePayer, 'AP2')
    const [review] = await app.deps.store.reviews('sample2026')
    expect(review?.why).toContain('after the seat was released')
    const decision = { reference: null, amount: null, why: 'A chair was found.', who: 'asha' }
    expect(
      await app.deps.store.decideReview(
        review?.id ?? '',
        { what: 'accept', ...decision },
        app.now(),
        null,
      ),
    ).toMatchObject({ ok: true })
    const changedText = oversoldFile.replace('made up for tests', 'made for tests')
    app.writeEvent('sample2026.yaml', changedText)
    await app.deps.events.reload()
    expect(app.output.join('\n')).not.toContain('EV1011')
    expect(app.deps.events.findById('sample2026')?.config.about).toBe('A conference made for tests')
  })

  test('the office shows the findings of a version that would break a stored registration, and the log names their codes', async () => {
    const app = await start()
    app.writeEvent('sample2026.yaml', changedPrefix)
    await app.deps.events.reload()
    const office = await signIn(app)
    expect(await office.json('/admin/served-files/')).toMatchObject({
      files: [
        {
          file: 'sample2026.yaml',
          is: 'before',
          why: 'sample2026.yaml is not served in its current version: it would break stored registrations. The last valid version is served.',
          findings: expect.stringMatching(/^error\[EV1005\][^]*--> sample2026\.yaml:\d+/),
        },
      ],
    })
    expect(app.log).toContainEqual(
      expect.objectContaining({ event: 'sample2026', findings: 'EV1005' }),
    )
  })

  test('serves the same change while there are no registrations', async () => {
    server = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': servedFile } })
    server.writeEvent('sample2026.yaml', changedPrefix)
    await server.deps.events.reload()
    expect(readPrefix(server)).toBe('SMPX')
  })

  test('serves the last valid version at startup, and reports it', async () => {
    const app = await start()
    const hash = app.deps.events.findById('sample2026')?.hash
    const copyFolder = mkdtempSync(join(tmpdir(), 'rollcall-past-'))
    cpSync(app.dir, copyFolder, { recursive: true })
    const store = await openStoreInProcess({ dataDir: copyFolder })
    const messages: string[] = []
    try {
      app.writeEvent('sample2026.yaml', changedPrefix)
      const registry = await openRegistry({
        folder: app.eventsDir,
        cacheFolder: join(copyFolder, 'cache'),
        store,
        clock: app.now,
        log: {
          info: () => {},
          warn: (_, text) => void messages.push(text ?? ''),
          error: () => {},
        },
        print: (text) => void messages.push(text),
        production: false,
        isWatching: false,
      })
      if (!registry.ok) throw new Error(registry.error)
      expect(registry.value.findById('sample2026')?.hash).toBe(hash)
      expect(registry.value.findByOrderId('SMPL123')?.config.id).toBe('sample2026')
      expect(messages.join('\n')).toContain('the last valid version')
      await registry.value.close()
    } finally {
      await store.close()
      rmSync(copyFolder, { recursive: true, force: true })
    }
  })
})
