/** Row locks in PostgreSQL: each rule holds for concurrent operations on two servers only because of its lock. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId } from '../../../engine/index.ts'
import { LOCK_ORDER } from '../../../server/storage/database/sqlite-connection.ts'
import type { NewMail, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  HOUR_MS,
  addMs,
  noon,
  newEmail,
  buildNameCorrection,
  buildRegistration,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import { FILE, ISSUER } from './sample-issuer.ts'
import {
  asOwner,
  runConcurrently,
  createServerPairs,
  waitUntilBlocked,
} from './concurrent-operations.ts'
import type { ServerPair, ServerPairFactory } from './concurrent-operations.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import { holdAtCommit, setQuotas, readTakenSeats, LOCK_RULES } from './lock-rules.ts'

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

    describe.each(LOCK_ORDER)('the %s lock', (kind) => {
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

    describe('several requests of one user at the same time', () => {
      const codeHashes = ['one', 'two', 'three']
      test.each([
        [
          'to set up a second factor all succeed',
          (store: Store, adminId: number, index: number) =>
            store.startSecondFactorSetup(adminId, `secret ${index}`),
        ],
        [
          'to confirm a second factor all succeed, and leave one set of recovery codes',
          (store: Store, adminId: number, index: number) =>
            store.confirmSecondFactor(
              adminId,
              'secret',
              index,
              codeHashes.map((code) => `${code} ${index}`),
            ),
        ],
        [
          'for new recovery codes leave one set',
          (store: Store, adminId: number, index: number) =>
            store.renewRecoveryCodes(
              adminId,
              codeHashes.map((code) => `${code} ${index}`),
              'one',
            ),
        ],
      ] as const)('%s', async (_, send) => {
        const serverPair = await pairFactory.begin()
        const [store] = serverPair.stores
        const user = await store.addAdmin('asha', 'hash', noon)
        if (!user.ok) throw new Error(user.error.code)
        await store.startSecondFactorSetup(user.value, 'secret')
        await store.renewRecoveryCodes(user.value, codeHashes, null)
        const sessionHash = 'session'
        const verified = { passwordHash: 'hash', hasSecondFactor: false }
        await store.openSession({
          tokenHash: sessionHash,
          adminId: user.value,
          at: noon,
          expiresAt: addMs(HOUR_MS),
          verified,
        })
        const sender = { sessionHash, role: 'owner', events: null } as const
        // All requests have checked the sender when the first one changes the user.
        const { results } = await runConcurrently<unknown>(
          serverPair,
          'recovery_codes, admins',
          Array.from({ length: 8 }, (__, index) => async () => {
            try {
              await send(
                serverPair.stores[index % 2 === 0 ? 0 : 1].forSender(sender),
                user.value,
                index,
              )
              return 'done'
            } catch (error) {
              return String(error)
            }
          }),
        )
        expect(results).toEqual(Array.from({ length: 8 }, () => 'done'))
        expect((await store.account(user.value))?.recoveryCodesLeft).toBe(codeHashes.length)
      })
    })

    test('a gateway message that reaches both servers at the same time is applied once', async () => {
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
      // The second payment waits until the first one has its number, because the first may still be rolled back.
      expect(doneBefore).toBe(0)
      expect(await readSerials()).toEqual(['DEMO/1', 'DEMO/2'])
    })

    test.each([
      ['a payment that is waiting for another row does not lock the number series', null, 1],
      [
        'negative control: a series that is locked before the other rows stays locked while a payment waits for them',
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

    test('negative control: two sessions that read the next number without a lock get the same one', async () => {
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

    /** Starts operations that find no seat at first, and holds them where they check the seats. */
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

    test('a seat that becomes free while two requests are looking for one is sold once', async () => {
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

    test('a seat whose hold has expired is not sold to two delegates if its payment arrives during the second sale', async () => {
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

    test('a payment is not recorded as a second one if the first registration is transferred at the same time', async () => {
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
