/** The action buttons of a registration, with their dialogs, and its history. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import {
  dayOf,
  formatDayShort,
  formatMoney,
  fromRupees,
  readInstant,
} from '../../../engine/index.ts'
import type { AdminList } from '../../../engine/index.ts'
import type { ActionsAnswer, WireSecondPayment } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { readActed, readActs } from './action-api-responses.ts'
import { Told } from './record-payment-fields.tsx'
import { ActDialog } from './action-and-refund-dialog.tsx'
import { BUTTONS } from './action-buttons.ts'
import { Review } from '../reconciliation/payment-review-card.tsx'
import type { ActWords, Button } from './action-buttons.ts'
import { callApi, isApiError, registrationUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatRupees } from '../lists/list-table.tsx'
import { EntryTime } from '../ui/list-entry-time.tsx'
import '../discount-codes/discount-codes-page.css'
import './actions-and-timeline.css'

type ActsProps = {
  readonly regNo: string
  readonly list: AdminList
  /** The registration has changed. */
  readonly onDone: () => void
}

export function Acts({ regNo, list, onDone }: ActsProps) {
  const path = `/api/admin/registrations/${encodeURIComponent(regNo)}/acts/`
  const [open, setOpen] = useState<Button | null>(null)
  /** Result of the last payment review decision; not an action of this page. */
  const [decided, setDecided] = useState('')
  const query = useQuery({
    queryKey: ['acts', regNo],
    queryFn: ({ signal }) => callApi(path, readActs, { signal }),
  })
  const act = useMutation({
    mutationFn: (words: ActWords) => callApi(path, readActed, { method: 'POST', json: words }),
    onSuccess: () => {
      setOpen(null)
      setDecided('')
      void query.refetch()
      onDone()
    },
    // The registration has changed since it was shown: reload it, so that the dialog shows its
    // current state.
    onError: (failed) => {
      if (isApiError(failed) && failed.code === 'not_now') void query.refetch()
    },
  })
  const error = useSignInOn401(query.error)
  const refused = useSignInOn401(act.error)
  const close = () => {
    setOpen(null)
    act.reset()
  }
  const question = (button: Button) => {
    act.reset()
    setDecided('')
    setOpen(button)
  }
  const { data } = query
  return (
    <section className="pan" aria-labelledby="reg-acts" aria-busy={query.isFetching}>
      <h2 id="reg-acts">Actions</h2>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {data && <State {...data} />}
      {data?.second_payment && <Second list={list} second={data.second_payment} />}
      {data?.told && <Told told={data.told} />}
      <p role="status" className="done">
        {act.data ?? decided}
      </p>
      {data?.reviews.map((review) => (
        <Review
          key={review.id}
          review={review}
          mayDecide={data.allowed.includes('dismiss')}
          onDone={(message) => {
            act.reset()
            setDecided(message)
            void query.refetch()
            onDone()
          }}
        />
      ))}
      {data && (
        <div className="acts-of">
          {buttonsOf(data).map((button) => (
            <button
              key={button}
              type="button"
              className="btn line sm"
              onClick={() => question(button)}
            >
              {BUTTONS[button]}
            </button>
          ))}
        </div>
      )}
      {data && open !== null && (
        <ActDialog
          key={open}
          button={open}
          title={BUTTONS[open]}
          standing={data}
          refused={refused}
          isBusy={act.isPending}
          onDo={(words) => act.mutate(words)}
          onClose={close}
        />
      )}
      {data && <Trail trail={data.trail} />}
    </section>
  )
}

const buttonsOf = ({ allowed }: ActionsAnswer): readonly Button[] =>
  (Object.keys(BUTTONS) as Button[]).filter((button) => allowed.includes(button))

/** State of the registration, with its balance and outstanding refund. */
function State({
  state_display: words,
  due,
  pay_back: back,
  refund_unsettled: isUnsettled,
}: ActionsAnswer) {
  const [owed, owing] = [fromRupees(due), fromRupees(back)]
  return (
    <>
      <p className="state">
        <b>{`${words.charAt(0).toUpperCase()}${words.slice(1)}`}</b>
      </p>
      {owed !== null && owed > 0 && (
        <p className="care">
          <Icon name="tri" small />
          Due after a correction: {formatMoney(owed)}
        </p>
      )}
      {owing !== null && owing > 0 && (
        <p className="care">
          <Icon name="tri" small />
          To refund: {formatMoney(owing)}
        </p>
      )}
      {isUnsettled && (
        <p className="care">
          <Icon name="tri" small />A refund is missing from the settlement reports after five days.
        </p>
      )}
    </>
  )
}

function Second({
  list,
  second: { first, amount, asked_at: askedAt },
}: Pick<ActsProps, 'list'> & { readonly second: WireSecondPayment }) {
  const asked = askedAt === null ? null : readInstant(askedAt)
  return (
    <p className="care">
      <Icon name="tri" small />
      <span>
        This is a second payment. The first registration of this person is{' '}
        <Link to={registrationUrl(list, first)}>{first}</Link>.
        {asked !== null && (
          <>
            {' '}
            The delegate requested a refund of {formatRupees(amount, true)} on{' '}
            {formatDayShort(dayOf(asked))}.
          </>
        )}
      </span>
    </p>
  )
}

function Trail({ trail }: Pick<ActionsAnswer, 'trail'>) {
  if (trail.length === 0) return null
  return (
    <ul className="log">
      {trail.map(({ at, who, text, why }, index) => (
        <li key={index}>
          <span>
            {text}
            {why !== '' && <q>{why}</q>}
            <small>{who}</small>
          </span>
          <EntryTime at={at} />
        </li>
      ))}
    </ul>
  )
}
