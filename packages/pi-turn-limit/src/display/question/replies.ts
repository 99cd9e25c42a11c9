/** Hears what a person does while a question of ours is open. */
export interface Replies {
  /** They replied to it. */
  repliedToUs(): void;
  /** They replied in another dialog. */
  repliedElsewhere(): void;
  /** It closes without a reply. */
  ourQuestionCloses(): void;
}
