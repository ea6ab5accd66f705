/**
 * Searches everything the form accepts, field by field.
 *
 * Hidden fields are unanswered, required ones answered, choices within their bounds, and the
 * category follows from the answers. Each test runs as soon as all that it reads is known, and
 * answers that nothing reads any more are forgotten, so that paths which then look alike are
 * merged. Exact: no accepted answers are skipped, and no refused ones are searched.
 */
import type { EventConfig, Field } from '../../event/config.ts'
import type { Answer, Answers, Condition, Test } from '../../event/answer-types.ts'
import { findCategory } from '../../rules/category.ts'
import { matchesCondition } from '../../rules/evaluate-condition.ts'
import { CODE_NAME, getFullSeatName } from '../../rules/pricing-context.ts'
import { getOwn } from '../../lib/result.ts'
import { findFirstFull } from '../../pricing/quotas.ts'
import type { Quota } from '../../event/pricing-types.ts'
import {
  assertListed,
  createFieldAxis,
  createContextAxis,
  listFullSeatNames,
  findMemberListColumn,
  listVisibilityConditions,
  type Distinctions,
  type Axis,
} from './fields-in-conditions.ts'
import { TooLarge, type Budget } from './sets-of-answers.ts'

/** The name of the category among the values read. */
export const CATEGORY = 'category'

/** The values known at a point of the search: answers still to be read, and the context. */
export type KnownValues = { readonly answers: Answers; readonly category: string | null }
/** A test along the way. `at` returns the state to continue with. Null if no delegate gets further. */
export type Stop<C> = {
  readonly reads: readonly string[]
  /** The conditions whose tests distinguish answers here. */
  readonly conditions: readonly Condition[]
  readonly at: (known: KnownValues, carried: C) => C | null
}
/** The state carried along: how it adds an answer, when two are equal, and how equal ones are merged. */
export type StateOperations<C> = {
  readonly start: C
  readonly answered: (carried: C, name: string, answer: Answer) => C
  readonly keyOf: (carried: C) => string
  readonly joined: (a: C, b: C) => C
}

type Step<C> =
  | { readonly is: 'answer'; readonly name: string }
  | { readonly is: 'rule'; readonly rule: Rule }
  | { readonly is: 'category' }
  | { readonly is: 'limit'; readonly limit: Quota }
  | { readonly is: 'stop'; readonly stop: Stop<C> }
type Rule = Extract<EventConfig['categoryChoice'], { by: 'rules' }>['rules'][number]
type FormPath<C> = {
  /** The index on its axis of each name's value, in the order of answering. */
  readonly values: readonly number[]
  /**
   * The result of the first matching rule. Rule by rule, so that values read only by earlier rules
   * are forgotten.
   */
  readonly fitting: string | null
  readonly known: KnownValues
  readonly carried: C
}

/**
 * Searches all accepted answers, through all stops in order; returns the final states, one for each
 * that differs. Throws TooLarge.
 */
export function searchAnswers<C>(
  event: EventConfig,
  stops: readonly Stop<C>[],
  operations: StateOperations<C>,
  distinguished: (field: Field) => Distinctions,
  budget: Budget,
): readonly C[] {
  const plan = createPlan(event, stops)
  const axes = createAxes(event, plan, distinguished)
  const reads = plan.map((step) => listReads(event, step))
  const last = new Map(reads.flatMap((names, index) => names.map((name) => [name, index] as const)))
  const fieldNames: string[] = []
  let paths: readonly FormPath<C>[] = [
    {
      values: [],
      fitting: null,
      known: { answers: {}, category: null },
      carried: operations.start,
    },
  ]
  plan.forEach((step, i) => {
    if (step.is === 'answer') fieldNames.push(step.name)
    if (step.is === 'category') fieldNames.push(CATEGORY)
    // A value that nothing reads later is no longer distinguished; it stays among the answers,
    // unread.
    const activeFields = fieldNames.flatMap((name, index) =>
      (last.get(name) ?? -1) > i ? [index] : [],
    )
    const next = new Map<string, FormPath<C>>()
    for (const path of paths)
      for (const nextWay of listNextStates(event, step, path, axes, operations)) {
        budget.left -= 1
        if (budget.left < 0) throw new TooLarge()
        let key = `${nextWay.fitting ?? ''} ${operations.keyOf(nextWay.carried)}`
        for (const index of activeFields) key += ` ${nextWay.values[index]}`
        const other = next.get(key)
        next.set(
          key,
          other === undefined
            ? nextWay
            : { ...other, carried: operations.joined(other.carried, nextWay.carried) },
        )
      }
    paths = [...next.values()]
  })
  return paths.map(({ carried }) => carried)
}

/** Returns the next states of one path. */
function listNextStates<C>(
  event: EventConfig,
  step: Step<C>,
  path: FormPath<C>,
  axes: ReadonlyMap<string, Axis>,
  operations: StateOperations<C>,
): readonly FormPath<C>[] {
  const { known, values, carried } = path
  switch (step.is) {
    case 'rule': {
      const { when, then } = step.rule
      const matches =
        path.fitting === null && (when === null || matchesCondition(when, known.answers))
      return [matches ? { ...path, fitting: then } : path]
    }
    case 'category': {
      const category = findCategory(event, known.answers)
      const at = event.categories.findIndex(({ id }) => id === category)
      return [{ carried, fitting: null, values: [...values, at], known: { ...known, category } }]
    }
    case 'limit':
      return findFirstFull([step.limit], known.answers, known.category) === null ? [path] : []
    case 'stop': {
      const after = step.stop.at(known, carried)
      return after === null ? [] : [{ ...path, carried: after }]
    }
    case 'answer': {
      const { name } = step
      const may = buildAcceptTest(event, name, known)
      return (axes.get(name)?.values ?? []).flatMap(({ answer }, index): readonly FormPath<C>[] =>
        !may(answer)
          ? []
          : [
              {
                values: [...values, index],
                fitting: path.fitting,
                known:
                  answer === undefined
                    ? known
                    : { ...known, answers: { ...known.answers, [name]: answer } },
                carried:
                  answer === undefined ? carried : operations.answered(carried, name, answer),
              },
            ],
      )
    }
  }
}

/** Returns which answers of a field, or values of a context name, are accepted with the known values. */
function buildAcceptTest(
  event: EventConfig,
  name: string,
  { answers, category }: KnownValues,
): (answer: Answer | undefined) => boolean {
  const field = event.fields.find(({ id }) => id === name)
  if (field === undefined) {
    const lookupField = findMemberListColumn(event, name)?.field
    // An answer on no member list is refused, so an answer and its row come together.
    return lookupField === undefined
      ? () => true
      : (answer) => (answer === undefined) === (getOwn(answers, lookupField) === undefined)
  }
  if (
    !listVisibilityConditions(event, name).every((shown) =>
      matchesCondition(shown, answers, category),
    )
  )
    return (answer) => answer === undefined
  const { required } = field
  const isNeeded =
    field.default !== undefined ||
    (required !== undefined &&
      (required.when === undefined || matchesCondition(required.when, answers, category)))
  return (answer) => answer !== undefined || !isNeeded
}

/** Returns the names that conditions read. */
export function listConditionNames(
  conditions: readonly (Condition | undefined | null)[],
): readonly string[] {
  return conditions.flatMap((condition) => (condition ?? []).flat().map(({ field }) => field))
}

function findConditionsBehind(event: EventConfig, name: string): readonly Condition[] {
  if (name === CATEGORY)
    return event.quotas.flatMap(({ when, full }) =>
      full.offer === undefined || when === undefined ? [] : [when],
    )
  const field = event.fields.find(({ id }) => id === name)
  if (field === undefined) return []
  return [
    ...listVisibilityConditions(event, name),
    ...(field.required?.when === undefined ? [] : [field.required.when]),
  ]
}

/** Returns the names that must be known before a name. */
function listRequiredNames(event: EventConfig, name: string): readonly string[] {
  const usedNames = listConditionNames(findConditionsBehind(event, name))
  if (name !== CATEGORY) {
    const memberListColumn = findMemberListColumn(event, name)
    return memberListColumn === null ? usedNames : [...usedNames, memberListColumn.field]
  }
  const { categoryChoice: choice, codeKinds, quotas } = event
  return [
    ...(choice.by === 'field' ? [choice.field] : []),
    ...(codeKinds.some(({ gives }) => 'category' in gives) ? [CODE_NAME] : []),
    ...quotas.flatMap(({ id, full, eachOptionOf }) =>
      full.offer === undefined || eachOptionOf !== undefined ? [] : [getFullSeatName(id)],
    ),
    // An offer reads the category before it, not itself.
    ...usedNames.filter((candidate) => candidate !== CATEGORY),
  ]
}

function listReads<C>(event: EventConfig, step: Step<C>): readonly string[] {
  switch (step.is) {
    case 'answer':
      return listRequiredNames(event, step.name)
    case 'rule':
      return listConditionNames([step.rule.when])
    case 'category':
      return listRequiredNames(event, CATEGORY)
    case 'limit':
      return listNamesOfQuota(step.limit)
    case 'stop':
      return step.stop.reads
  }
}

function listNamesOfQuota(limit: Quota): readonly string[] {
  const { when, eachOptionOf } = limit
  return [
    ...listConditionNames([when]),
    ...(eachOptionOf === undefined ? [] : [eachOptionOf]),
    ...listFullSeatNames([limit]),
  ]
}

/** Orders every answer before its readers, and quotas as soon as one of their seats is read. */
function createPlan<C>(event: EventConfig, stops: readonly Stop<C>[]): readonly Step<C>[] {
  const steps: Step<C>[] = []
  const used = new Set<string>()
  const limits = new Set<Quota>()
  const take = (name: string): void => {
    if (used.has(name)) return
    used.add(name)
    if (name === CATEGORY && event.categoryChoice.by === 'rules')
      for (const rule of event.categoryChoice.rules) {
        listConditionNames([rule.when]).forEach(take)
        steps.push({ is: 'rule', rule })
      }
    listRequiredNames(event, name).forEach(take)
    if (name === CATEGORY) steps.push({ is: 'category' })
    else steps.push({ is: 'answer', name })
  }
  const forbidPaths = (): void => {
    for (const limit of event.quotas) {
      const places = listFullSeatNames([limit])
      if (limits.has(limit) || !places.some((place) => used.has(place))) continue
      limits.add(limit)
      const reads = listNamesOfQuota(limit)
      reads.forEach(take)
      steps.push({ is: 'limit', limit })
      forbidPaths()
    }
  }
  for (const stop of stops) {
    stop.reads.forEach(take)
    forbidPaths()
    steps.push({ is: 'stop', stop })
  }
  return steps
}

/** Returns the axis of every name of the plan, by the plan's tests. */
function createAxes<C>(
  event: EventConfig,
  plan: readonly Step<C>[],
  distinguished: (field: Field) => Distinctions,
): ReadonlyMap<string, Axis> {
  const conditions = plan.flatMap((step): readonly Condition[] => {
    switch (step.is) {
      case 'answer':
        return findConditionsBehind(event, step.name)
      case 'rule':
        return step.rule.when === null ? [] : [step.rule.when]
      case 'category':
        return findConditionsBehind(event, CATEGORY)
      case 'limit':
        return step.limit.when === undefined ? [] : [step.limit.when]
      case 'stop':
        return step.stop.conditions
    }
  })
  const tests = Map.groupBy(conditions.flat(2), ({ field }) => field)
  const names = plan.flatMap((step) => (step.is === 'answer' ? [step.name] : []))
  const barred = plan.flatMap((step) => (step.is === 'limit' ? [step.limit] : []))
  const axes = names.flatMap((name): readonly Axis[] => {
    const contextAxis = createContextAxis(event, name)
    if (contextAxis !== null) return [contextAxis]
    const field = event.fields.find(({ id }) => id === name)
    if (field === undefined)
      return [{ field: name, values: [{ answer: undefined, description: '' }] }]
    const ownTests: readonly Test[] = (tests.get(name) ?? []).map(({ test }) => test)
    const { distinguishes, ...rest } = distinguished(field)
    // If a seat of an option may be full, that option is distinguished from all others.
    const isBarred = barred.some(({ eachOptionOf }) => eachOptionOf === name)
    return [
      createFieldAxis(name, [field], ownTests, true, {
        ...rest,
        ...(isBarred
          ? { distinguishes: (option: string) => option }
          : distinguishes === undefined
            ? {}
            : { distinguishes }),
      }),
    ]
  })
  assertListed(axes)
  return new Map(axes.map((axis) => [axis.field, axis]))
}
