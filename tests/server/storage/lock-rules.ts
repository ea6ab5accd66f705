/** The rules that hold for concurrent operations on two servers only because of a row lock in PostgreSQL. */
import type { RowLock } from '../../../server/storage/database/sqlite-connection.ts'
import type { Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  HOUR_MS,
  createImportRow,
  addMs,
  buildNameCorrection,
  newEmail,
  buildRegistration,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import { FILE } from './sample-issuer.ts'
import {
  asOwner,
  NO_CONTEXT,
  BROWSER,
  ONE_FORM,
  UNIQUE_NAME,
  runConcurrently,
} from './concurrent-operations.ts'
import type { LockRule, ServerPair } from './concurrent-operations.ts'
import { REFERENCE_RULES, UNMATCHED_PAYMENT_RULES } from './payment-lock-rules.ts'

/** Sends the same registration to both servers at the same time. */
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
export async function holdAtCommit<T>(
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

export async function setQuotas(
  store: Store,
  max: Readonly<Record<string, number>>,
): Promise<void> {
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
export const readTakenSeats = async (store: Store): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    (await store.listTakenSeats('demo')).map(({ quotaKey, taken }) => [quotaKey, taken]),
  )

export const LOCK_RULES: Readonly<Record<RowLock, readonly LockRule[]>> = {
  subject: [
    {
      rule: 'of two owners who are removed at the same time, one remains',
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
      rule: 'imported registrations count towards a quota that is activated at the same moment',
      violation: 'imported registrations take no seats from the new quota',
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
      rule: 'of two servers that activate versions at the same time, only one succeeds',
      violation: 'both succeed, and one serves a version that the other has replaced',
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
      rule: 'a former link and an email to the former address wait for the transfer, and are then refused',
      violation: 'the former holder requests a cancellation, and gets an email, after the transfer',
      async attempt(servers) {
        const [first, second] = servers.stores
        const { regNo, orderId } = await registerSample(first)
        await first.applyPaymentEvent(orderId, buildSale('AP1'), null)
        const link = { linkHash: 'former-link', expiresAt: addMs(HOUR_MS) }
        const { linkHash: tokenHash, expiresAt } = link
        await first.addAccessLink({ tokenHash, regNo, purpose: 'my', at: noon, expiresAt })
        const { answers: previousAnswers } = buildRegistration()
        const changes = { previousAnswers, revokesLinks: true }
        const byDelegate = { actor: 'delegate', who: 'delegate', sender: link } as const
        const { results } = await runConcurrently(servers, 'audit_log', [
          () =>
            first.correct(asOwner(regNo, 'transfer'), buildNameCorrection('Binu Demo', changes)),
          () => second.requestCancellation({ ...asOwner(regNo, 'ask_cancel'), ...byDelegate }),
          () => second.sendMail({ ...asOwner(regNo, 'resend'), previousAnswers }, newEmail),
        ])
        return results.map((result) => (result.ok ? 'done' : result.error.code))
      },
      resultWithLock: ['done', 'moved_on', 'moved_on'],
      resultWithoutLock: ['done', 'done', 'done'],
    },
    {
      rule: 'of two payments for one registration, one counts',
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
  'unmatched payment': UNMATCHED_PAYMENT_RULES,
  reference: REFERENCE_RULES,
  version: [
    {
      rule: 'a version is replaced only after the registrations that use it are stored',
      violation: 'a registration is stored with a version that has already been replaced',
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
      rule: 'of two registrations with the same unique answer, one is stored; a form sent twice at the same time succeeds both times',
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
      rule: 'of two forms for one person from one browser, one registers the person and the other leads to a question',
      violation: 'both register, and the delegate pays twice',
      attempt: (servers) => registerTwice(servers, 'registrations', { form: BROWSER }),
      resultWithLock: ['registered', 'same_person'],
      resultWithoutLock: ['registered', 'registered'],
    },
    {
      rule: 'a uniqueness rule that is first used during an import finds the imported answers',
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
      rule: 'a single-use discount code is used once',
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
  user: [
    {
      rule: 'a demoted treasurer creates no code after the demotion',
      violation: 'the code is created after the demotion',
      async attempt(servers) {
        const [first, second] = servers.stores
        const chief = await first.addAdmin('chief', 'hash', noon)
        await first.addAdmin('owner', 'hash', noon)
        if (!chief.ok) throw new Error(chief.error.code)
        const sessionHash = 'session'
        const session = { tokenHash: sessionHash, adminId: chief.value, at: noon }
        const verified = { passwordHash: 'hash', hasSecondFactor: false }
        await first.openSession({ ...session, expiresAt: addMs(HOUR_MS), verified })
        const sender = { sessionHash, role: 'treasurer', events: null } as const
        const codes = [{ code: 'ABC', folded: 'abc' }]
        const options = {
          kind: 'coupon',
          usesMax: 1,
          lastDay: null,
          note: '',
          who: 'chief',
          at: noon,
        }
        const { doneBefore } = await runConcurrently<unknown>(servers, 'codes', [
          () => first.forSender(sender).createDiscountCodes({ eventId: 'demo', codes, ...options }),
          () => second.setPermissions('chief', { role: 'desk', events: null }),
        ])
        return { demotedBefore: doneBefore }
      },
      resultWithLock: { demotedBefore: 0 },
      resultWithoutLock: { demotedBefore: 1 },
    },
    {
      rule: 'a sign-in with the old password opens no session after a password reset',
      violation: 'the session continues after the reset',
      async attempt(servers) {
        const [first, second] = servers.stores
        const user = await first.addAdmin('desk', 'hash', noon)
        if (!user.ok) throw new Error(user.error.code)
        const session = { tokenHash: 'session', adminId: user.value, at: noon }
        const verified = { passwordHash: 'hash', hasSecondFactor: false }
        await runConcurrently<unknown>(servers, 'sessions', [
          () => first.openSession({ ...session, expiresAt: addMs(HOUR_MS), verified }),
          () => second.setPassword('desk', 'hash-2', noon),
        ])
        return (await first.session('session', noon, HOUR_MS)) === null ? 'ended' : 'open'
      },
      resultWithLock: 'ended',
      resultWithoutLock: 'open',
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
      rule: 'the last seat in a quota is sold once, together with seats from quotas that have more',
      violation: 'the last seat is sold twice, together with seats from other quotas',
      async attempt(servers) {
        await setQuotas(servers.stores[0], { hall: 5, dinner: 1, tour: 5 })
        const results = await registerTwice(servers, 'places_taken', {})
        return [results.toSorted(), await readTakenSeats(servers.stores[0])]
      },
      resultWithLock: [['full', 'registered'], { hall: 1, dinner: 1, tour: 1 }],
      resultWithoutLock: [['registered', 'registered'], { hall: 2, dinner: 2, tour: 2 }],
    },
    {
      rule: 'if two delegates each order two of three seats, one of them gets two seats',
      violation: 'both get two of three seats',
      async attempt(servers) {
        await setQuotas(servers.stores[0], { tickets: 3 })
        const results = await registerTwice(servers, 'places_taken', { answers: { tickets: 2 } })
        return [results.toSorted(), await readTakenSeats(servers.stores[0])]
      },
      resultWithLock: [['full', 'registered'], { tickets: 2 }],
      resultWithoutLock: [['registered', 'registered'], { tickets: 4 }],
    },
    {
      rule: 'a last seat whose hold has expired is sold once',
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
      rule: 'a mailbox gets at most five requested emails an hour, and one notice about the limit',
      violation: 'it gets one extra email for each concurrent request',
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
