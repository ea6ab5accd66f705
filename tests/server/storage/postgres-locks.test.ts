/** Row locks on a real PostgreSQL: each rule holds for concurrent operations of two servers only with its lock. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import { LOCK_ORDER } from '../../../server/storage/database/sqlite-connection.ts'
import type { RowLock } from '../../../server/storage/database/sqlite-connection.ts'
import type { NewAction, NewMail, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  HOUR_MS,
  createImportRow,
  addMs,
  newEmail,
  buildNameCorrection,
  buildRegistration,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import { FILE, ISSUER } from './sample-issuer.ts'
import {
  NO_CONTEXT,
  BROWSER,
  ONE_FORM,
  UNIQUE_NAME,
  runConcurrently,
  createServerPairs,
  waitUntilBlocked,
} from './concurrent-operations.ts'
import type { ServerPair, ServerPairFactory } from './concurrent-operations.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
const asOwner = (regNo: RegNo, act: NewAction['act']): NewAction => ({
  regNo,
  act,
  actor: 'owner',
  who: 'Meera',
  why: 'Decided.',
  at: addMs(1000),
  idempotencyKey: null,
})

type LockRule = {
  /** The rule that the lock protects. */
  readonly rule: string
  /** The violation without the lock. */
  readonly violation: string
  /** Returns the result of two concurrent operations. */
  readonly attempt: (servers: ServerPair) => Promise<unknown>
  readonly resultWithLock: unknown
  readonly resultWithoutLock: unknown
}

/** Sends the same registration to both servers concurrently. */
async function registerTwice(
  servers: ServerPair,
  table: string,
  changes: RegistrationChanges,
): Promise<readonly string[]> {
  const operations = servers.stores.map((store) => async () => {
    const result = await store.register(buildRegistration(changes))
    return result.ok ? 'registered' : result.error.code
  })
  return (await runConcurrently(servers, table, operations)).results
}

/** Holds operations that queue an email until they are about to commit. */
async function holdAtCommit<T>(
  servers: ServerPair,
  operations: readonly (() => Promise<T>)[],
): Promise<{ readonly doneBefore: number }> {
  const { shell } = servers
  await shell.query(
    `CREATE OR REPLACE FUNCTION commits() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN LOCK TABLE audit_log IN ROW EXCLUSIVE MODE; RETURN NULL; END $$`,
  )
  await shell.query(
    'CREATE CONSTRAINT TRIGGER commits AFTER INSERT ON mail_queue DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commits()',
  )
  const result = await runConcurrently(servers, 'audit_log', operations)
  await shell.query('DROP TRIGGER commits ON mail_queue')
  return result
}

async function setQuotas(store: Store, max: Readonly<Record<string, number>>): Promise<void> {
  await store.saveEventFile({
    ...FILE,
    holdPlaceMs: HOUR_MS,
    limits: Object.entries(max).map(([id, seatCount]) => ({
      id,
      max: seatCount,
      full: { message: id },
      ...(id === 'tickets' && { count: id }),
    })),
  })
}
const readTakenSeats = async (store: Store): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    (await store.listTakenSeats('demo')).map(({ quotaKey, taken }) => [quotaKey, taken]),
  )

const LOCK_RULES: Readonly<Record<RowLock, readonly LockRule[]>> = {
  subject: [
    {
      rule: 'of two owners who are removed concurrently, one remains',
      violation: 'both are removed, and users can no longer be managed',
      async attempt(servers) {
        const [store] = servers.stores
        for (const name of ['first', 'second']) await store.addAdmin(name, 'hash', noon)
        const { results } = await runConcurrently(servers, 'sessions', [
          () => servers.stores[0].removeAdmin('first'),
          () => servers.stores[1].removeAdmin('second'),
        ])
        return [...results, await store.adminCount()]
      },
      resultWithLock: ['removed', 'last', 1],
      resultWithoutLock: ['removed', 'removed', 0],
    },
    {
      rule: 'an import counts in a quota that is activated at the same moment',
      violation: 'imported registrations take no seats of the new quota',
      async attempt(servers) {
        const [first, second] = servers.stores
        const limits = [{ id: 'hall', max: 5, full: { message: 'hall' } }]
        await runConcurrently<unknown>(servers, 'audit_log', [
          () => first.importRegistrations([createImportRow()]),
          () =>
            second.activate({
              after: 0,
              events: [{ eventId: 'demo', hash: FILE.hash, isGone: false }],
              site: null,
              files: [{ ...FILE, holdPlaceMs: HOUR_MS, limits }],
            }),
        ])
        return readTakenSeats(first)
      },
      resultWithLock: { hall: 1 },
      resultWithoutLock: { hall: 0 },
    },
    {
      rule: 'the email of a late payment is held when a recovery begins at the same moment',
      violation: 'the email is sent, and may have been sent before the restore',
      async attempt(servers) {
        const [first, second] = servers.stores
        const { orderId } = await registerSample(first)
        // The start of a recovery waits for pending payments, but not for this payment.
        await first.applyPaymentEvent(orderId, buildDecline(), null)
        const recovery = { at: addMs(90_000), who: 'Meera', why: 'Restored.', taken: [] }
        await holdAtCommit<unknown>(servers, [
          () => first.applyPaymentEvent(orderId, buildSale('AP1'), newEmail),
          () => second.beginRecovery({ ...recovery, copyAt: null, servedAt: null }, null),
        ])
        return (await first.dueMails(addMs(HOUR_MS), 9)).length
      },
      resultWithLock: 0,
      resultWithoutLock: 1,
    },
    {
      rule: 'of two servers that activate versions concurrently, only one succeeds',
      violation: 'both succeed, and one serves a version that the other replaced',
      async attempt(servers) {
        const events = [{ eventId: 'demo', hash: FILE.hash, isGone: false }]
        const activation = { after: 0, events, site: null, files: [FILE] }
        const { results } = await runConcurrently(
          servers,
          'activation',
          servers.stores.map((store) => () => store.activate(activation)),
        )
        return results
      },
      resultWithLock: [1, null],
      resultWithoutLock: [1, 1],
    },
  ],
  registration: [
    {
      rule: 'a registration is either approved or refused',
      violation: 'it is both approved and refused',
      async attempt(servers) {
        const [first, second] = servers.stores
        const approval = { id: 'letter', decideBy: addMs(9000) }
        const { regNo } = await registerSample(first, { orderId: null, approval })
        const paymentMethod = { method: 'transfer' }
        const approvalDecision = {
          channel: paymentMethod,
          payUntil: addMs(9000),
          mail: null,
          confirmation: null,
        }
        const { results } = await runConcurrently(servers, 'registrations', [
          () => first.approve(asOwner(regNo, 'approve'), approvalDecision),
          () => second.rejectApplication(asOwner(regNo, 'refuse'), { offer: null, mail: null }),
        ])
        return results.map(({ ok }) => ok)
      },
      resultWithLock: [true, false],
      resultWithoutLock: [true, true],
    },
    {
      rule: 'of two payments of one registration, one counts',
      violation: 'both count, and the registration is booked twice',
      async attempt(servers) {
        const [first, second] = servers.stores
        // Without a name: the key of `paid_persons` also stops a second payment of one registration.
        const { regNo, orderId } = await registerSample(first, { name: '–' })
        await first.applyPaymentEvent(orderId, buildDecline(), null)
        const retryResult = await first.retry(regNo, addMs(120_000))
        if (!retryResult.ok) throw new Error(retryResult.error.code)
        await runConcurrently(servers, 'captures', [
          () => first.applyPaymentEvent(orderId, buildSale('AP1'), newEmail),
          () => second.applyPaymentEvent(retryResult.value.orderId, buildSale('AP2'), newEmail),
        ])
        const { rows } = await servers.shell.query<{ booked: number }>(
          'SELECT booked::int FROM registrations',
        )
        const captures = (await first.captures(regNo)).map(({ state }) => state)
        return { captures, booked: rows[0]?.booked }
      },
      resultWithLock: { captures: ['fits', 'review'], booked: sampleQuote.total },
      resultWithoutLock: { captures: ['fits', 'fits'], booked: 2 * sampleQuote.total },
    },
  ],
  version: [
    {
      rule: 'a version is replaced only after the registrations with it are stored',
      violation: 'a registration is stored with an already replaced version',
      async attempt(servers) {
        const [first, second] = servers.stores
        const buildVersion = (hash: string, after: number) => ({
          after,
          events: [{ eventId: 'demo', hash, isGone: false }],
          site: null,
          files: [{ ...FILE, hash }],
        })
        await first.activate(buildVersion('hash-1', 0))
        const { results, doneBefore } = await runConcurrently<unknown>(servers, 'registrations', [
          async () => (await first.register(buildRegistration())).ok,
          () => second.activate(buildVersion('hash-2', 1)),
        ])
        return { results, replacedBefore: doneBefore }
      },
      resultWithLock: { results: [true, 2], replacedBefore: 0 },
      resultWithoutLock: { results: [true, 2], replacedBefore: 1 },
    },
  ],
  'unique answer': [
    {
      rule: 'of two registrations with the same unique answer, one is stored; a form sent twice at the same time gets the message that the person is already registered',
      violation: 'both are stored',
      async attempt(servers) {
        await registerSample(servers.stores[0], { name: 'Earlier', externalContext: UNIQUE_NAME })
        const asha = { name: 'Asha', externalContext: UNIQUE_NAME }
        const results = await registerTwice(servers, 'registrations', asha)
        return [...results, ...(await registerTwice(servers, 'registrations', ONE_FORM))]
      },
      resultWithLock: ['registered', 'registered_already', 'registered', 'registered'],
      resultWithoutLock: ['registered', 'registered', 'registered', 'registered'],
    },
    {
      rule: 'of two forms for one person in one browser, one registers and the other asks',
      violation: 'both register, and the delegate pays twice',
      attempt: (servers) => registerTwice(servers, 'registrations', { form: BROWSER }),
      resultWithLock: ['registered', 'same_person'],
      resultWithoutLock: ['registered', 'registered'],
    },
    {
      rule: 'an imported answer is found by a rule that is concurrently used for the first time',
      violation: 'a delegate with an imported answer registers again',
      async attempt(servers) {
        const [first, second] = servers.stores
        await runConcurrently<unknown>(servers, 'audit_log', [
          () => first.importRegistrations([createImportRow()]),
          () => second.register(buildRegistration({ name: 'Other', externalContext: UNIQUE_NAME })),
        ])
        const form = buildRegistration({ name: 'Old Demo', externalContext: UNIQUE_NAME })
        const result = await first.register(form)
        return result.ok ? 'registered' : result.error.code
      },
      resultWithLock: 'registered_already',
      resultWithoutLock: 'registered',
    },
  ],
  code: [
    {
      rule: 'a discount code with one use is used once',
      violation: 'it is used twice',
      async attempt(servers) {
        const [store] = servers.stores
        await store.createDiscountCodes({
          eventId: 'demo',
          kind: 'coupon',
          codes: [{ code: 'ABC', folded: 'abc' }],
          usesMax: 1,
          lastDay: null,
          note: '',
          who: 'office',
          at: noon,
        })
        const externalContext = { ...NO_CONTEXT, code: { normalisedCode: 'abc', kind: 'coupon' } }
        const results = await registerTwice(servers, 'registrations', { externalContext })
        return [...results, (await store.valuesInUse('demo')).codes['coupon']]
      },
      resultWithLock: ['registered', 'code_gone', 1],
      resultWithoutLock: ['registered', 'registered', 2],
    },
  ],
  seat: [
    {
      rule: 'the last seat is sold once',
      violation: 'the last seat is sold twice',
      async attempt(servers) {
        await setQuotas(servers.stores[0], { hall: 1 })
        const results = await registerTwice(servers, 'places_taken', {})
        return [results.toSorted(), await readTakenSeats(servers.stores[0])]
      },
      resultWithLock: [['full', 'registered'], { hall: 1 }],
      resultWithoutLock: [['registered', 'registered'], { hall: 2 }],
    },
    {
      rule: 'the last seat of a quota is sold once, together with a seat of a quota that has more',
      violation: 'the last seat is sold twice, together with seats of other quotas',
      async attempt(servers) {
        await setQuotas(servers.stores[0], { hall: 5, dinner: 1, tour: 5 })
        const results = await registerTwice(servers, 'places_taken', {})
        return [results.toSorted(), await readTakenSeats(servers.stores[0])]
      },
      resultWithLock: [['full', 'registered'], { hall: 1, dinner: 1, tour: 1 }],
      resultWithoutLock: [['registered', 'registered'], { hall: 2, dinner: 2, tour: 2 }],
    },
    {
      rule: 'of three seats, two are sold once',
      violation: 'of three seats, two are sold twice',
      async attempt(servers) {
        await setQuotas(servers.stores[0], { tickets: 3 })
        const results = await registerTwice(servers, 'places_taken', { answers: { tickets: 2 } })
        return [results.toSorted(), await readTakenSeats(servers.stores[0])]
      },
      resultWithLock: [['full', 'registered'], { tickets: 2 }],
      resultWithoutLock: [['registered', 'registered'], { tickets: 4 }],
    },
    {
      rule: 'the last seat, whose hold has expired, is sold once',
      violation: 'a seat whose hold has expired is sold twice',
      async attempt(servers) {
        await setQuotas(servers.stores[0], { hall: 1 })
        await registerSample(servers.stores[0])
        const results = await registerTwice(servers, 'places_taken', { at: addMs(2 * HOUR_MS) })
        return [results.toSorted(), await readTakenSeats(servers.stores[0])]
      },
      resultWithLock: [['full', 'registered'], { hall: 1 }],
      resultWithoutLock: [['registered', 'registered'], { hall: 3 }],
    },
  ],
  person: [
    {
      rule: 'of two payments by one person, one is the second payment',
      violation: 'each is a first payment',
      async attempt(servers) {
        const [first] = servers.stores
        const registrations = [await registerSample(first), await registerSample(first)] as const
        const operations = servers.stores.map((store, index) => async () => {
          const { regNo, orderId } = registrations[index] ?? registrations[0]
          return store.applyPaymentEvent(orderId, buildSale(`AP${regNo}`), newEmail)
        })
        await runConcurrently(servers, 'mail_queue', operations)
        return Promise.all(
          registrations.map(async ({ regNo }) => {
            const second = await first.secondPayment(regNo)
            return second === null
              ? 'first'
              : second.first.regNo === registrations[0].regNo
                ? 'second'
                : 'other'
          }),
        )
      },
      resultWithLock: ['first', 'second'],
      resultWithoutLock: ['first', 'first'],
    },
  ],
  mailbox: [
    {
      rule: 'a mailbox gets at most five requested emails an hour, and one notice',
      violation: 'it gets one more email for each concurrent request',
      async attempt(servers) {
        const { shell, stores } = servers
        const { regNo } = await registerSample(stores[0])
        for (let sent = 0; sent < 4; sent += 1)
          await stores[0].queueAccessLinks(regNo, newEmail, noon)
        // Both requests have counted the emails when the first is about to commit.
        await holdAtCommit(
          servers,
          stores.map((store) => () => store.queueAccessLinks(regNo, newEmail, noon)),
        )
        const { rows } = await shell.query<{ kind: string; n: number }>(
          'SELECT kind, count(*)::int AS n FROM mail_queue GROUP BY kind',
        )
        return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
      },
      resultWithLock: { links: 5, paused: 1 },
      resultWithoutLock: { links: 6 },
    },
  ],
}

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('two servers with one database', () => {
    let server: PostgresServer
    let pairFactory: ServerPairFactory
    beforeAll(async () => {
      server = await startPostgres()
      pairFactory = await createServerPairs(server)
    })
    afterAll(async () => {
      await pairFactory.end()
      await server.stop()
    })

    describe.each(LOCK_ORDER)('the lock on a %s', (kind) => {
      test.each(LOCK_RULES[kind].map((lockRule) => [lockRule.rule, lockRule] as const))(
        '%s',
        async (_, { attempt, resultWithLock }) => {
          expect(await attempt(await pairFactory.begin())).toEqual(resultWithLock)
        },
      )

      test.each(LOCK_RULES[kind].map((lockRule) => [lockRule.violation, lockRule] as const))(
        'negative control: without the lock, %s',
        async (_, { attempt, resultWithoutLock }) => {
          expect(await attempt(await pairFactory.begin(kind))).toEqual(resultWithoutLock)
        },
      )
    })

    test('a payment message that reaches both servers concurrently is applied once', async () => {
      const serverPair = await pairFactory.begin()
      const [first] = serverPair.stores
      const { regNo, orderId } = await registerSample(first)
      const operations = serverPair.stores.map(
        (store) => async () =>
          (await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)).changed,
      )
      expect((await runConcurrently(serverPair, 'captures', operations)).results).toEqual([
        true,
        false,
      ])
      const { rows } = await serverPair.shell.query(
        `SELECT (SELECT booked::int FROM registrations) AS booked, (SELECT count(*)::int FROM mail_queue) AS mails,
             (SELECT count(*)::int FROM payment_facts) AS facts`,
      )
      expect(rows).toEqual([{ booked: sampleQuote.total, mails: 1, facts: 1 }])
      expect((await first.captures(regNo)).length).toBe(1)
    })

    /** Prepares two payments that get invoices, one per server, and a function that reads the invoice numbers. */
    async function prepareInvoices(serverPair: ServerPair, emails: readonly (NewMail | null)[]) {
      const [first] = serverPair.stores
      await first.saveEventFile({ ...FILE, issuer: ISSUER })
      const names = ['Asha Demo', 'Binu Demo']
      const registrations = await Promise.all(names.map((name) => registerSample(first, { name })))
      const operations = serverPair.stores.map((store, index) => async () => {
        const { orderId } = registrations[index] ?? { orderId: '' as OrderId }
        await store.applyPaymentEvent(orderId, buildSale(`AP${index}`), emails[index] ?? null)
      })
      const readSerials = async () => {
        const documentLists = await Promise.all(
          registrations.map(({ regNo }) => first.documents(regNo)),
        )
        return documentLists.flatMap((documents) =>
          documents.filter(({ kind }) => kind === 'invoice').map(({ serial }) => serial),
        )
      }
      return { operations, readSerials }
    }

    test('two concurrent payments get consecutive invoice numbers', async () => {
      const serverPair = await pairFactory.begin()
      const { operations, readSerials } = await prepareInvoices(serverPair, [newEmail, newEmail])
      const { doneBefore } = await holdAtCommit(serverPair, operations)
      // The second payment waits for the number of the first one, which may still be rolled back.
      expect(doneBefore).toBe(0)
      expect(await readSerials()).toEqual(['DEMO/1', 'DEMO/2'])
    })

    test.each([
      ['a payment that waits for another row does not lock the number series', null, 1],
      [
        'negative control: a series that is locked before the other rows stays locked while they are awaited',
        'early series',
        0,
      ],
    ] as const)('%s', async (_, control, expectedDone) => {
      const serverPair = await pairFactory.begin(control ?? undefined)
      const { operations, readSerials } = await prepareInvoices(serverPair, [newEmail, null])
      // The first payment waits for the email queue. The second one queues no email.
      const { doneBefore } = await runConcurrently(serverPair, 'mail_queue', operations)
      expect(doneBefore).toBe(expectedDone)
      expect(await readSerials()).toEqual(
        expectedDone === 0 ? ['DEMO/1', 'DEMO/2'] : ['DEMO/2', 'DEMO/1'],
      )
    })

    test('negative control: numbers read before the lock are equal', async () => {
      const { shell, holder } = await pairFactory.begin()
      await shell.query("INSERT INTO document_series VALUES ('A', '2026-27', 'DEMO/{n}', 7)")
      for (const session of [shell, holder]) await session.query('BEGIN')
      const numbers = await Promise.all(
        [shell, holder].map((session) =>
          session.query('SELECT last + 1 AS next FROM document_series'),
        ),
      )
      expect(numbers.flatMap(({ rows }) => rows)).toEqual([{ next: '8' }, { next: '8' }])
      for (const session of [shell, holder]) await session.query('ROLLBACK')
    })

    /** Starts operations that find no seat at first, and holds them at their check of the seats. */
    async function holdAtSeatCheck<T>(
      serverPair: ServerPair,
      operations: readonly (() => Promise<T>)[],
      whileHeld: () => Promise<void>,
    ): Promise<readonly Promise<T>[]> {
      const { holder } = serverPair
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM event_limits FOR UPDATE')
      const promises = operations.map((operation) => operation())
      await waitUntilBlocked(serverPair, operations.length, 'event_limits')
      await whileHeld()
      await serverPair.secondHolder.query('BEGIN')
      await serverPair.secondHolder.query('LOCK TABLE registrations IN SHARE MODE')
      await holder.query('COMMIT')
      await waitUntilBlocked(serverPair, 1, 'insert into%registrations')
      return promises
    }
    const readOutcome = async (
      resultPromise: Promise<{ ok: true } | { ok: false; error: { code: string } }>,
    ) => {
      const result = await resultPromise
      return result.ok ? 'registered' : result.error.code
    }

    test('a seat that becomes free while two requests look for a seat is sold once', async () => {
      const serverPair = await pairFactory.begin()
      const [first] = serverPair.stores
      await setQuotas(first, { hall: 1 })
      const { regNo } = await registerSample(first)
      const operations = serverPair.stores.map((store) => () => store.register(buildRegistration()))
      const promises = await holdAtSeatCheck(serverPair, operations, async () => {
        await serverPair.shell.query("UPDATE places_taken SET state = 'free', until = NULL")
      })
      await waitUntilBlocked(serverPair, 2)
      await serverPair.secondHolder.query('COMMIT')
      const results = await Promise.all(promises.map(readOutcome))
      expect([results.toSorted(), await readTakenSeats(first), regNo === '']).toEqual([
        ['full', 'registered'],
        { hall: 1 },
        false,
      ])
    })

    test('an expired seat is not sold again while its payment arrives', async () => {
      const serverPair = await pairFactory.begin()
      const [first, second] = serverPair.stores
      await setQuotas(first, { hall: 1 })
      const { regNo, orderId } = await registerSample(first)
      const at = addMs(2 * HOUR_MS)
      const operations = [() => first.register(buildRegistration({ at }))]
      const promises = await holdAtSeatCheck(serverPair, operations, async () => {})
      const payment = second.applyPaymentEvent(
        orderId,
        buildSale('AP1', sampleQuote.total, at),
        newEmail,
      )
      await waitUntilBlocked(serverPair, 2)
      await serverPair.secondHolder.query('COMMIT')
      await payment
      expect(await Promise.all(promises.map(readOutcome))).toEqual(['registered'])
      expect(await readTakenSeats(first)).toEqual({ hall: 1 })
      expect((await first.captures(regNo)).map(({ state }) => state)).toEqual(['review'])
    })

    test('a payment is not recorded as a second payment if the first registration passes to another person concurrently', async () => {
      const serverPair = await pairFactory.begin()
      const [first, second] = serverPair.stores
      const transferredRegistration = await registerSample(first)
      await first.applyPaymentEvent(transferredRegistration.orderId, buildSale('AP1'), null)
      const { regNo, orderId } = await registerSample(first)
      const correction = buildNameCorrection('Ravi Sample', { emails: [newEmail] })
      await runConcurrently<unknown>(serverPair, 'mail_queue', [
        () => first.correct(asOwner(transferredRegistration.regNo, 'transfer'), correction),
        () => second.applyPaymentEvent(orderId, buildSale('AP2'), newEmail),
      ])
      expect(await first.secondPayment(regNo)).toBeNull()
    })
  })
