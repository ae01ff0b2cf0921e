import { expect, test } from "vitest";
import { ResetBudget } from "../../src/server/http2-session.js";

function spend(budget: ResetBudget, resets: number, unsentBytes = 0): void {
  for (let count = 0; count < resets; count++) {
    budget.spend(unsentBytes);
  }
}

test("is spent by 900 resets at once, and by what a second gives back on top", () => {
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

test("does not grow beyond its start", () => {
  const budget = new ResetBudget();
  budget.refill(0);
  budget.refill(1_000_000);
  spend(budget, 900);
  expect(budget.isSpent).toBe(true);
});

test("never gets back what was left unsent", () => {
  const budget = new ResetBudget();
  budget.refill(0);
  spend(budget, 49, 100_000);
  expect(budget.isSpent).toBe(false);
  budget.refill(1_000_000);
  spend(budget, 1, 100_000);
  expect(budget.isSpent).toBe(true);
});
