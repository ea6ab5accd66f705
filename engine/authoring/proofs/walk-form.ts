/**
 * Searches all answers that the form accepts, field by field.
 *
 * In these answers, hidden fields are unanswered, required fields are answered, choices are within their bounds, and
 * the category follows from the answers. Each checkpoint runs as soon as the values that it reads are known. Answers
 * that no later step reads are dropped, and paths that become equal are merged. The search is exact: it covers every
 * accepted answer and no rejected one.
 */
import type { EventConfig, Field } from '../../event/config.ts'
import type { Answer, Answers, Condition, Test } from '../../event/answer-types.ts'
import { findCategory } from '../../rules/category.ts'
import { matchesCondition } from '../../rules/conditions-and-operators.ts'
import { CODE_NAME, getFullQuotaName } from '../../rules/pricing-context.ts'
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

/** The values known at a point in the search: the category, and the answers that later steps read. */
export type KnownValues = { readonly answers: Answers; readonly category: string | null }
/** A check during the search. `visit` returns the state to continue with, or null if the search ends on this path. */
export type Checkpoint<C> = {
  readonly reads: readonly string[]
  /** The conditions whose tests distinguish answers at this checkpoint. */
  readonly conditions: readonly Condition[]
  readonly visit: (knownValues: KnownValues, state: C) => C | null
}
/** Operations on the state of a path: add an answer, build the key for equality, merge equal states. */
export type StateOperations<C> = {
  readonly start: C
  readonly addAnswer: (state: C, name: string, answer: Answer) => C
  readonly buildKey: (state: C) => string
  readonly merge: (a: C, b: C) => C
}

type Step<C> =
  | { readonly is: 'answer'; readonly name: string }
  | { readonly is: 'rule'; readonly rule: Rule }
  | { readonly is: 'category' }
  | { readonly is: 'quota'; readonly quota: Quota }
  | { readonly is: 'checkpoint'; readonly checkpoint: Checkpoint<C> }
type Rule = Extract<EventConfig['categoryChoice'], { by: 'rules' }>['rules'][number]
type FormPath<C> = {
  /** The index of each name's value on its axis, in the order of answering. */
  readonly valueIndexes: readonly number[]
  /**
   * The category of the first matching rule. Stored after each rule, so that values that only earlier rules read can be
   * dropped.
   */
  readonly matchedCategory: string | null
  readonly knownValues: KnownValues
  readonly state: C
}

/**
 * Searches all accepted answers through all checkpoints in order. Returns the distinct final
 * states. Throws TooLarge.
 */
export function searchAnswers<C>(
  event: EventConfig,
  checkpoints: readonly Checkpoint<C>[],
  operations: StateOperations<C>,
  getDistinctions: (field: Field) => Distinctions,
  budget: Budget,
): readonly C[] {
  const plan = createPlan(event, checkpoints)
  const axes = createAxes(event, plan, getDistinctions)
  const reads = plan.map((step) => listNamesRead(event, step))
  const lastReadIndexes = new Map(
    reads.flatMap((names, index) => names.map((name) => [name, index] as const)),
  )
  const fieldNames: string[] = []
  let paths: readonly FormPath<C>[] = [
    {
      valueIndexes: [],
      matchedCategory: null,
      knownValues: { answers: {}, category: null },
      state: operations.start,
    },
  ]
  plan.forEach((step, i) => {
    if (step.is === 'answer') fieldNames.push(step.name)
    if (step.is === 'category') fieldNames.push(CATEGORY)
    // A value that no later step reads is not part of the key.
    const activeFields = fieldNames.flatMap((name, index) =>
      (lastReadIndexes.get(name) ?? -1) > i ? [index] : [],
    )
    const nextPaths = new Map<string, FormPath<C>>()
    for (const path of paths)
      for (const nextPath of listNextStates(event, step, path, axes, operations)) {
        budget.remaining -= 1
        if (budget.remaining < 0) throw new TooLarge()
        let key = `${nextPath.matchedCategory ?? ''} ${operations.buildKey(nextPath.state)}`
        for (const index of activeFields) key += ` ${nextPath.valueIndexes[index]}`
        const other = nextPaths.get(key)
        nextPaths.set(
          key,
          other === undefined
            ? nextPath
            : { ...other, state: operations.merge(other.state, nextPath.state) },
        )
      }
    paths = [...nextPaths.values()]
  })
  return paths.map(({ state }) => state)
}

/** Returns the next states of one path. */
function listNextStates<C>(
  event: EventConfig,
  step: Step<C>,
  path: FormPath<C>,
  axes: ReadonlyMap<string, Axis>,
  operations: StateOperations<C>,
): readonly FormPath<C>[] {
  const { knownValues, valueIndexes, state } = path
  switch (step.is) {
    case 'rule': {
      const { when, then } = step.rule
      const matches =
        path.matchedCategory === null &&
        (when === null || matchesCondition(when, knownValues.answers))
      return [matches ? { ...path, matchedCategory: then } : path]
    }
    case 'category': {
      const category = findCategory(event, knownValues.answers)
      const categoryIndex = event.categories.findIndex(({ id }) => id === category)
      return [
        {
          state,
          matchedCategory: null,
          valueIndexes: [...valueIndexes, categoryIndex],
          knownValues: { ...knownValues, category },
        },
      ]
    }
    case 'quota':
      return findFirstFull([step.quota], knownValues.answers, knownValues.category) === null
        ? [path]
        : []
    case 'checkpoint': {
      const nextState = step.checkpoint.visit(knownValues, state)
      return nextState === null ? [] : [{ ...path, state: nextState }]
    }
    case 'answer': {
      const { name } = step
      const isAccepted = buildAcceptTest(event, name, knownValues)
      return (axes.get(name)?.values ?? []).flatMap(({ answer }, index): readonly FormPath<C>[] =>
        !isAccepted(answer)
          ? []
          : [
              {
                valueIndexes: [...valueIndexes, index],
                matchedCategory: path.matchedCategory,
                knownValues:
                  answer === undefined
                    ? knownValues
                    : { ...knownValues, answers: { ...knownValues.answers, [name]: answer } },
                state: answer === undefined ? state : operations.addAnswer(state, name, answer),
              },
            ],
      )
    }
  }
}

/**
 * Returns a function that tests whether the form accepts an answer to a field, or a value of a context name, at this
 * point.
 */
function buildAcceptTest(
  event: EventConfig,
  name: string,
  { answers, category }: KnownValues,
): (answer: Answer | undefined) => boolean {
  const field = event.fields.find(({ id }) => id === name)
  if (field === undefined) {
    const lookupField = findMemberListColumn(event, name)?.field
    // The form rejects an answer that is not on any member list, so the answer and its row are set
    // together.
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

function listConditionsDeciding(event: EventConfig, name: string): readonly Condition[] {
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

/** Returns the names that must be known before this one. */
function listRequiredNames(event: EventConfig, name: string): readonly string[] {
  const usedNames = listConditionNames(listConditionsDeciding(event, name))
  if (name !== CATEGORY) {
    const memberListColumn = findMemberListColumn(event, name)
    return memberListColumn === null ? usedNames : [...usedNames, memberListColumn.field]
  }
  const { categoryChoice: choice, codeKinds, quotas } = event
  return [
    ...(choice.by === 'field' ? [choice.field] : []),
    ...(codeKinds.some(({ gives }) => 'category' in gives) ? [CODE_NAME] : []),
    ...quotas.flatMap(({ id, full, eachOptionOf }) =>
      full.offer === undefined || eachOptionOf !== undefined ? [] : [getFullQuotaName(id)],
    ),
    // An offer depends on the category before the offer, so the category does not depend on itself.
    ...usedNames.filter((candidate) => candidate !== CATEGORY),
  ]
}

function listNamesRead<C>(event: EventConfig, step: Step<C>): readonly string[] {
  switch (step.is) {
    case 'answer':
      return listRequiredNames(event, step.name)
    case 'rule':
      return listConditionNames([step.rule.when])
    case 'category':
      return listRequiredNames(event, CATEGORY)
    case 'quota':
      return listNamesOfQuota(step.quota)
    case 'checkpoint':
      return step.checkpoint.reads
  }
}

function listNamesOfQuota(quota: Quota): readonly string[] {
  const { when, eachOptionOf } = quota
  return [
    ...listConditionNames([when]),
    ...(eachOptionOf === undefined ? [] : [eachOptionOf]),
    ...listFullSeatNames([quota]),
  ]
}

/**
 * Returns the steps of the search. Each answer comes before the steps that read it. A quota is included if a step reads
 * one of its seats.
 */
function createPlan<C>(
  event: EventConfig,
  checkpoints: readonly Checkpoint<C>[],
): readonly Step<C>[] {
  const steps: Step<C>[] = []
  const used = new Set<string>()
  const addedQuotas = new Set<Quota>()
  const addName = (name: string): void => {
    if (used.has(name)) return
    used.add(name)
    if (name === CATEGORY && event.categoryChoice.by === 'rules')
      for (const rule of event.categoryChoice.rules) {
        listConditionNames([rule.when]).forEach(addName)
        steps.push({ is: 'rule', rule })
      }
    listRequiredNames(event, name).forEach(addName)
    if (name === CATEGORY) steps.push({ is: 'category' })
    else steps.push({ is: 'answer', name })
  }
  const addQuotas = (): void => {
    for (const quota of event.quotas) {
      const seatNames = listFullSeatNames([quota])
      if (addedQuotas.has(quota) || !seatNames.some((seatName) => used.has(seatName))) continue
      addedQuotas.add(quota)
      const reads = listNamesOfQuota(quota)
      reads.forEach(addName)
      steps.push({ is: 'quota', quota })
      addQuotas()
    }
  }
  for (const checkpoint of checkpoints) {
    checkpoint.reads.forEach(addName)
    addQuotas()
    steps.push({ is: 'checkpoint', checkpoint })
  }
  return steps
}

/**
 * Returns the axis of every name in the plan, with the values that the plan's tests distinguish.
 */
function createAxes<C>(
  event: EventConfig,
  plan: readonly Step<C>[],
  getDistinctions: (field: Field) => Distinctions,
): ReadonlyMap<string, Axis> {
  const conditions = plan.flatMap((step): readonly Condition[] => {
    switch (step.is) {
      case 'answer':
        return listConditionsDeciding(event, step.name)
      case 'rule':
        return step.rule.when === null ? [] : [step.rule.when]
      case 'category':
        return listConditionsDeciding(event, CATEGORY)
      case 'quota':
        return step.quota.when === undefined ? [] : [step.quota.when]
      case 'checkpoint':
        return step.checkpoint.conditions
    }
  })
  const tests = Map.groupBy(conditions.flat(2), ({ field }) => field)
  const names = plan.flatMap((step) => (step.is === 'answer' ? [step.name] : []))
  const plannedQuotas = plan.flatMap((step) => (step.is === 'quota' ? [step.quota] : []))
  const axes = names.flatMap((name): readonly Axis[] => {
    const contextAxis = createContextAxis(event, name)
    if (contextAxis !== null) return [contextAxis]
    const field = event.fields.find(({ id }) => id === name)
    if (field === undefined)
      return [{ field: name, values: [{ answer: undefined, description: '' }] }]
    const ownTests: readonly Test[] = (tests.get(name) ?? []).map(({ test }) => test)
    const { getOptionKey, ...rest } = getDistinctions(field)
    // If a quota limits the field's options, every option is distinguished.
    const hasQuota = plannedQuotas.some(({ eachOptionOf }) => eachOptionOf === name)
    return [
      createFieldAxis(name, [field], ownTests, true, {
        ...rest,
        ...(hasQuota
          ? { getOptionKey: (option: string) => option }
          : getOptionKey === undefined
            ? {}
            : { getOptionKey }),
      }),
    ]
  })
  assertListed(axes)
  return new Map(axes.map((axis) => [axis.field, axis]))
}
