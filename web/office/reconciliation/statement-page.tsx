/** The work table of a saved bank statement, which several users can edit at once. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { formatCount, RECONCILIATION_ROWS } from '../../../engine/index.ts'
import type {
  OfficeEvent,
  StatementDecisionResponse,
  StatementResponse,
  WireStatementLine,
} from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { callApi, STATEMENTS } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { ShowMoreButton } from '../ui/show-more-button.tsx'
import { Progress } from '../jobs/progress.tsx'
import { useToast } from '../ui/toast.tsx'
import { BATCH_ROWS, useBatches } from '../jobs/use-batches.ts'
import { readDecision, readStatement, buildStatementApiPath } from './statement-api-responses.ts'
import { RemoveStatement } from './remove-statement.tsx'
import { StatementLineRow } from './statement-line-row.tsx'
import { describeMatches, StatementNotes, StatementTotals } from './statement-summary.tsx'
import { describeStatement } from './statements-page.tsx'
import type { Part } from './split-line.tsx'
import '../registration/registration-details-page.css'
import '../discount-codes/discount-codes-page.css'
import './settlements.css'
import './statement-page.css'

type Statement = Extract<StatementResponse, { unchanged: false }>
type Decision = 'review' | 'not_ours' | 'undone'
/** How often, in milliseconds, an open page requests other users' decisions. */
const REFRESH_MS = 5_000
/** The requests stop after this time without input, so that an unattended page does not extend the session. */
const IDLE_AFTER_MS = 300_000
/** Loads the statement, and afterwards only its changes. */
function useStatement(id: number) {
  const client = useQueryClient()
  const key = ['statement', id]
  const lastInput = useRef(0)
  useEffect(() => {
    const recordInput = () => {
      lastInput.current = performance.now()
    }
    recordInput()
    addEventListener('keydown', recordInput)
    addEventListener('pointerdown', recordInput)
    return () => {
      removeEventListener('keydown', recordInput)
      removeEventListener('pointerdown', recordInput)
    }
  }, [])
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Statement> => {
      const previous = client.getQueryData<Statement>(key)
      const since = previous === undefined ? '' : `?since=${previous.stamp}`
      const response = await callApi(`${buildStatementApiPath(id)}${since}`, readStatement, {
        signal,
      })
      if (!response.unchanged) return response
      if (previous === undefined) throw new Error('an unchanged statement that was never loaded')
      return previous
    },
    refetchOnWindowFocus: true,
    refetchInterval: () =>
      performance.now() - lastInput.current < IDLE_AFTER_MS ? REFRESH_MS : false,
  })
}

export function StatementPage({
  id,
  events,
}: {
  readonly id: number
  readonly events: readonly OfficeEvent[]
}) {
  const query = useStatement(id)
  const error = useSignInOn401(query.error)
  const { data } = query
  return (
    <main className="main" id="main" aria-busy={query.isPending}>
      <PageHeading title={data === undefined ? 'Statement' : describeStatement(data.statement)}>
        <Link className="btn line all-statements" to={STATEMENTS}>
          All statements
        </Link>
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {data !== undefined && (
        <WorkTable statement={data} events={events} refresh={() => query.refetch()} />
      )}
      {data !== undefined && <RemoveStatement id={id} lines={data.lines} />}
    </main>
  )
}

type WorkTableProps = {
  readonly statement: Statement
  readonly events: readonly OfficeEvent[]
  readonly refresh: () => Promise<unknown>
}
type LinesRequest = {
  readonly lines: readonly WireStatementLine[]
  readonly call: 'assign' | 'decide'
  /** Builds the JSON body for a batch of the lines. */
  readonly buildJson: (lines: readonly WireStatementLine[]) => object
  /** Whether the message about the result, such as “3 lines assigned.”, offers Undo. */
  readonly canUndo: boolean
}

function WorkTable({ statement, events, refresh }: WorkTableProps) {
  const { lines } = statement
  const { id } = statement.statement
  const currency = readResponseCurrency(statement.statement)
  const showToast = useToast()
  const workTable = useRef<HTMLDivElement>(null)
  const [problems, setProblems] = useState<ReadonlyMap<number, string>>(new Map())
  const batches = useBatches()
  const send = useMutation({
    mutationFn: async ({ lines: sentLines, call, buildJson }: LinesRequest) => {
      const { results, unprocessedCount } = await batches.run(sentLines, BATCH_ROWS, (batch) =>
        callApi(buildStatementApiPath(id, call), readDecision, {
          method: 'POST',
          json: buildJson(batch),
        }),
      )
      return joinDecisions(results, unprocessedCount)
    },
    // If a later request failed, some lines have already changed.
    onError: () => void refresh(),
    onSuccess: async ({ message, refused, done }, request) => {
      setProblems(new Map(refused.map((row) => [row.line, row.message])))
      const doneLines = request.lines.filter((line) => done.includes(line.id))
      showToast(message, {
        tone: refused.length > 0 ? 'bad' : 'good',
        ...(request.canUndo && doneLines.length > 0 && { onUndo: () => undoNotOurs(doneLines) }),
      })
      await refresh()
    },
  })
  const sendError = useSignInOn401(send.error)
  const lastPress = useRef<{
    readonly position: number
    readonly element: Element | null
  } | null>(null)
  // The pressed button has lost focus. If the user has moved to another field, the focus stays there.
  useEffect(() => {
    if (send.isPending || lastPress.current === null) return
    const { position, element } = lastPress.current
    lastPress.current = null
    const activeElement = document.activeElement
    if (activeElement === element || activeElement === null || activeElement === document.body)
      focusRow(workTable.current, position)
  }, [send.isPending])
  const submit = (request: LinesRequest) => {
    lastPress.current = {
      position: findPosition(workTable.current),
      element: document.activeElement,
    }
    send.mutate(request)
  }
  const getSeenDecisionId = (line: WireStatementLine) => line.decision?.id ?? null
  const assign = (
    assignments: readonly { readonly line: WireStatementLine; readonly parts: readonly Part[] }[],
  ) =>
    submit({
      lines: assignments.map(({ line }) => line),
      call: 'assign',
      canUndo: false,
      buildJson: (batch) => ({
        lines: assignments
          .filter(({ line }) => batch.includes(line))
          .flatMap(({ line, parts }) =>
            parts.map((part) => ({ ...part, line: line.id, seen: getSeenDecisionId(line) })),
          ),
      }),
    })
  const decide = (line: WireStatementLine, decision: Decision, seen = getSeenDecisionId(line)) =>
    submit({
      lines: [line],
      call: 'decide',
      canUndo: decision === 'not_ours',
      buildJson: () => ({ decision, choices: [{ line: line.id, seen }] }),
    })
  /** Undoes “not ours”. Loads the lines first, because the decision to undo is newer than the lines on the page. */
  const undoNotOurs = async (undoneLines: readonly WireStatementLine[]) => {
    const response = await callApi(buildStatementApiPath(id), readStatement)
    if (response.unchanged) return
    for (const { id: lineId } of undoneLines) {
      const currentLine = response.lines.find((line) => line.id === lineId)
      if (currentLine?.state === 'not_ours') decide(currentLine, 'undone')
    }
  }
  const exactMatches = lines.filter((line) => line.is_exact)
  return (
    <div ref={workTable} className="work">
      <Announcement statement={statement} />
      <StatementTotals totals={statement.totals} currency={currency} />
      {sendError && <Banner text={sendError.message} onDismiss={() => send.reset()} />}
      {send.isPending && batches.progress.total > BATCH_ROWS && (
        <Progress label="lines processed" {...batches.progress} onStop={batches.stop} />
      )}
      {LINE_GROUPS.map(({ name, title, includes, isCollapsed }) => {
        const groupLines = lines.filter(includes)
        if (groupLines.length === 0) return null
        const group = (
          <Group
            key={name}
            lines={groupLines}
            renderLine={(line) => (
              <StatementLineRow
                key={line.id}
                line={line}
                currency={currency}
                events={events}
                isBusy={send.isPending}
                problem={problems.get(line.line) ?? null}
                assign={(assignedLine, parts) => assign([{ line: assignedLine, parts }])}
                decide={decide}
              />
            )}
          />
        )
        const heading = `${title} (${groupLines.length})`
        return isCollapsed ? (
          <details className="panel" key={name}>
            <summary>{heading}</summary>
            {group}
          </details>
        ) : (
          <section className="panel" key={name} aria-labelledby={`group-${name}`}>
            <div className="panel-header">
              <h2 id={`group-${name}`} tabIndex={-1}>
                {heading}
              </h2>
              {name === 'exact' && (
                <button
                  type="button"
                  className="btn"
                  disabled={send.isPending}
                  onClick={() =>
                    assign(
                      exactMatches.map((line) => ({
                        line,
                        parts: line.proposals
                          .slice(0, 1)
                          .map(({ reg_no: regNo }) => ({ reg_no: regNo, amount: line.left })),
                      })),
                    )
                  }
                >
                  Confirm all exact matches ({exactMatches.length})
                </button>
              )}
            </div>
            {group}
          </section>
        )
      })}
      <StatementNotes statement={statement} currency={currency} events={events} />
    </div>
  )
}

/**
 * Joins the results of all requests. Uses the server’s sentence if there is only one result. `remainingCount` is the
 * number of lines left unprocessed because the job was stopped.
 */
function joinDecisions(
  results: readonly StatementDecisionResponse[],
  remainingCount: number,
): Pick<StatementDecisionResponse, 'message' | 'done' | 'refused'> {
  const [firstResult] = results
  if (results.length === 1 && remainingCount === 0 && firstResult !== undefined) return firstResult
  const done = results.flatMap((result) => result.done)
  const refused = results.flatMap((result) => result.refused)
  const message = [
    remainingCount > 0 && 'Stopped:',
    `${formatCount(done.length)} confirmed.`,
    refused.length > 0 && `${formatCount(refused.length)} not confirmed, for the reasons below.`,
    remainingCount > 0 && `${formatCount(remainingCount)} left.`,
  ]
  return { done, refused, message: message.filter(Boolean).join(' ') }
}

/** Announces the result when the page opens. After an upload, the focus moves to the first group. */
function Announcement({ statement }: { readonly statement: Statement }) {
  const { state } = useLocation()
  const isUploaded = (state as { isUploaded?: boolean } | null)?.isUploaded === true
  const [text, setText] = useState('')
  const matchSummary = describeMatches(statement)
  useEffect(() => {
    // Screen readers announce only changes to a status, not its text when the page opens.
    setText(matchSummary)
  }, [matchSummary])
  useEffect(() => {
    if (isUploaded) document.querySelector<HTMLElement>('.work h2[tabindex]')?.focus()
  }, [isUploaded])
  return (
    <p role="status" className="mute">
      {text}
    </p>
  )
}

function Group({
  lines,
  renderLine,
}: {
  readonly lines: readonly WireStatementLine[]
  readonly renderLine: (line: WireStatementLine) => React.ReactNode
}) {
  const [visibleCount, setVisibleCount] = useState(RECONCILIATION_ROWS)
  return (
    <>
      <ul className="worklist">{lines.slice(0, visibleCount).map(renderLine)}</ul>
      <ShowMoreButton
        count={lines.length}
        visibleCount={visibleCount}
        step={RECONCILIATION_ROWS}
        onChange={setVisibleCount}
      />
    </>
  )
}

const listRows = (workTable: HTMLElement | null): readonly HTMLElement[] => [
  ...(workTable?.querySelectorAll<HTMLElement>('.worklist > li') ?? []),
]

/** Returns the position of the focused row among all rows. -1 if no row has focus. */
function findPosition(workTable: HTMLElement | null): number {
  const row = document.activeElement?.closest('.worklist > li') ?? null
  return listRows(workTable).findIndex((candidate) => candidate === row)
}

/** Focuses the row that is now in the position of the resolved row, otherwise the first group or the totals. */
function focusRow(workTable: HTMLElement | null, position: number): void {
  const row = position < 0 ? undefined : listRows(workTable)[position]
  const target =
    row?.querySelector<HTMLElement>(':is(button, input):not(:disabled)') ??
    workTable?.querySelector<HTMLElement>('h2[tabindex]') ??
    workTable?.querySelector<HTMLElement>('.totals')
  target?.focus()
}

const isOpenLine = ({ state }: WireStatementLine): boolean => state === 'left'
/** The groups in the order in which staff work through them: open lines first. */
const LINE_GROUPS = [
  {
    name: 'exact',
    title: 'Exact matches',
    isCollapsed: false,
    includes: (line: WireStatementLine) => line.is_exact,
  },
  {
    name: 'proposed',
    title: 'Proposed',
    isCollapsed: false,
    includes: (line: WireStatementLine) =>
      isOpenLine(line) && !line.is_exact && line.proposals.length > 0,
  },
  {
    name: 'unmatched',
    title: 'Not matched',
    isCollapsed: false,
    includes: (line: WireStatementLine) => isOpenLine(line) && line.proposals.length === 0,
  },
  {
    name: 'review',
    title: 'Needs review',
    isCollapsed: true,
    includes: ({ state }: WireStatementLine) => state === 'review',
  },
  {
    name: 'not_ours',
    title: 'Not ours',
    isCollapsed: true,
    includes: ({ state }: WireStatementLine) => state === 'not_ours',
  },
  {
    name: 'other_event',
    title: 'Other events',
    isCollapsed: true,
    includes: ({ state }: WireStatementLine) => state === 'other_event',
  },
  {
    name: 'assigned',
    title: 'Assigned',
    isCollapsed: true,
    includes: ({ state }: WireStatementLine) => state === 'assigned',
  },
] as const
