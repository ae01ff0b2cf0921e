import { expect, test } from "vitest";
import { ResetBudget } from "../../src/server/http2-session.js";

function spend(budget: ResetBudget, resets: number, unsentBytes = 0): void {
  for (let count = 0; count < resets; count++) {
    budget.spend(unsentBytes);
  }
}

test("is spent by 900 resets at once, and 33 more per second", () => {
  const budget = new ResetBudget();
  budget.refill(1000);
  spend(budget, 899);
  expect(budget.isSpent).toBe(false);
  budget.refill(2000);
  spend(budget, 33);
  expect(budget.isSpent).toBe(false);
  spend(budget, 1);
  expect(budget.isSpent).toBe(true);
});

test("does not exceed its initial value", () => {
  const budget = new ResetBudget();
  budget.refill(0);
  budget.refill(1_000_000);
  spend(budget, 900);
  expect(budget.isSpent).toBe(true);
});

test("counts unsent bytes forever", () => {
  const budget = new ResetBudget();
  budget.refill(0);
  spend(budget, 49, 100_000);
  expect(budget.isSpent).toBe(false);
  budget.refill(1_000_000);
  spend(budget, 1, 100_000);
  expect(budget.isSpent).toBe(true);
});
