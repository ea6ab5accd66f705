/** The web app's one error boundary: what cannot be drawn is replaced by a sentence, never by a white page. */
import { Component } from 'react'
import type { ReactNode } from 'react'

type BoundaryProps = {
  /** What stands there instead. */
  readonly otherwise: ReactNode
  /** Drawing is tried again when this changes: another address, another text. */
  readonly resetBy: unknown
  readonly children: ReactNode
}
type BoundaryState = { readonly isBroken: boolean; readonly of: unknown }

/** Draws its children; after one of them threw, `otherwise`, until `resetBy` changes. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { isBroken: false, of: this.props.resetBy }

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { isBroken: true }
  }

  static getDerivedStateFromProps(
    props: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> | null {
    return props.resetBy === state.of ? null : { isBroken: false, of: props.resetBy }
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.otherwise : this.props.children
  }
}
