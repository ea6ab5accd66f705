/** Registering: a short list of ways to say no, and then one verb of the store. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert, dayOf, err, ok, openOn, standing } from '../../engine/index.ts'
import type { EventConfig, Instant, RegisterAnswer, Result } from '../../engine/index.ts'
import type { Deps, ServedEvent } from '../deps.ts'
import { checkedAnswers } from '../events/validators.ts'
import { readBody } from '../http/body.ts'
import type { Body } from '../http/body.ts'
import { addressOf, limitByAddress } from '../http/limit.ts'
import type { Allowance } from '../http/limit.ts'
import type { Registered } from '../store/store.ts'
import { fingerprintOf, keyOf } from './key.ts'
import type { LookupGuard } from './lookup.ts'
import { make, priceOf } from './making.ts'
import { answerTo, payAgain } from './pay-again.ts'
import {
  answersRefused,
  bodyRefused,
  closedRefused,
  differenceRefused,
  keyRefused,
  notPayable,
  payAgainRefused,
  quoteRefused,
  sendRefusal,
} from './refusals.ts'
import type { Refusal } from './refusals.ts'
import { answersOf, fileLimitsOf, judgeFiles } from './sent-files.ts'
import { compareSent } from './sent.ts'

/** A hall of delegates shares one address; a script that fills the database does not stay below this. */
const REGISTRATIONS_PER_ADDRESS: Allowance = { triesMax: 30, windowMs: 60_000 }

type Register = (
  served: ServedEvent,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>

export function registerCall(deps: Deps, guard: LookupGuard): Register {
  const isTooOften = limitByAddress(deps, REGISTRATIONS_PER_ADDRESS)
  return async (served, request, reply) => {
    reply.header('cache-control', 'no-store')
    if (isTooOften(request, reply)) return reply
    const body = await readBody(request, fileLimitsOf(served.config), deps.uploads)
    if (!body.ok) return sendRefusal(reply, bodyRefused(served.config, body.error))
    const answer = await registerAndTidy(deps, served, keyOf(request), body.value)
    if (!answer.ok) return sendRefusal(reply, answer.error)
    guard.know(addressOf(request), served.config.id, answer.value.reg_no)
    return reply.code(201).send(answer.value)
  }
}

/** What was not kept goes before the answer does. */
async function registerAndTidy(...given: Parameters<typeof register>): ReturnType<typeof register> {
  const [deps, , , { files }] = given
  try {
    return await register(...given)
  } finally {
    for (const { file } of files.values()) await deps.uploads.discard(file)
  }
}

async function register(
  deps: Deps,
  served: ServedEvent,
  key: ReturnType<typeof keyOf>,
  body: Body,
): Promise<Result<RegisterAnswer, Refusal>> {
  const event = served.config
  const at = deps.clock()
  if (!key.ok) return err(keyRefused(key.error))
  const idempotency =
    key.value === null ? null : { key: key.value, fingerprint: fingerprintOf(body) }
  const before =
    idempotency === null ? null : await deps.store.registeredUnder(event.id, idempotency.key, at)
  if (before !== null && before.fingerprint !== idempotency?.fingerprint)
    return err(keyRefused('idempotency_key_reused'))
  if (before !== null) return answerAgain(deps, event, before.registered, at)

  const open = openOn(event, dayOf(at))
  if (!open.open) return err(closedRefused(open.text))
  const answers = checkedAnswers(served, answersOf(event, body))
  if (!answers.ok) return err(answersRefused(answers.error))
  const judged = await judgeFiles(deps, event, answers.value, body.files)
  if (!judged.ok) return err(answersRefused(judged.error))
  const priced = priceOf(event, answers.value, at)
  if (!priced.ok) return err(quoteRefused(event, priced.error))
  const { category, quote } = priced.value
  const compared = compareSent(event, body.values, category, quote)
  if (compared.is === 'unreadable')
    return err(answersRefused({ [compared.name]: 'This is not an amount in rupees.' }))
  if (compared.is === 'differs') return err(differenceRefused(event, compared.in, quote))

  const { uploads, files } = judged.value
  for (const file of files) await deps.uploads.keep(file)
  const given = { category, quote, answers: answers.value, uploads, idempotency, at }
  const made = await make(deps, served, given)
  if (!made.ok)
    return err(
      made.error.code === 'not_payable'
        ? notPayable(event, made.error.why)
        : keyRefused(made.error.code),
    )
  if (made.value.repeated) return answerAgain(deps, event, made.value, at)
  return ok(answerTo(event, made.value.regNo, made.value.data))
}

/**
 * A repeated request gets the first registration, with a hand-off built afresh for what may be paid. Where
 * nothing may be paid now, how it stands is all there is to say: the result page says the rest.
 */
async function answerAgain(
  deps: Deps,
  event: EventConfig,
  { regNo }: Registered,
  at: Instant,
): Promise<Result<RegisterAnswer, Refusal>> {
  const due = await payAgain(deps, event, regNo, at)
  if (due.ok) return ok(answerTo(event, regNo, due.value.data))
  if (due.error.code === 'registration_closed' || due.error.code === 'not_payable')
    return err(payAgainRefused(event, due.error))
  const stored = await deps.store.registration(regNo)
  assert(stored !== null, 'a registration that was sent again is not there')
  return ok(answerTo(event, regNo, null, standing(stored, at)))
}
